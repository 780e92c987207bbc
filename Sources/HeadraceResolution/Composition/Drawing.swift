//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Draws the nodes of a ``DependencyGraph`` and finds what each dependency leads to.
struct Drawing {
    private var nodes: [DependencyNode] = []

    /// The places of the registrations of each type: all that joined its set, and the last one.
    private var members: [ObjectIdentifier: [Int]] = [:]
    private var last: [ObjectIdentifier: Int] = [:]
    private var missing: [ObjectIdentifier: Int] = [:]

    private let registrations: [Registration]

    init(_ registrations: [Registration]) {
        self.registrations = Self.reachable(registrations.settled)
    }

    /// Those of `registrations` that something may be made from: the last one of each type, and each of a set.
    static func reachable(_ registrations: [Registration]) -> [Registration] {
        var last: [ObjectIdentifier: Int] = [:]
        for (index, registration) in registrations.enumerated() {
            last[ObjectIdentifier(registration.contract)] = index
        }
        return registrations.enumerated()
            .filter { $1.joinsSet || last[ObjectIdentifier($1.contract)] == $0 }
            .map(\.element)
    }

    mutating func draw() -> [DependencyNode] {
        for (index, registration) in registrations.enumerated() {
            let contract = ObjectIdentifier(registration.contract)
            last[contract] = index
            if registration.joinsSet { members[contract, default: []].append(index) }
            nodes.append(
                DependencyNode(
                    contract: registration.contract,
                    implementation: registration.implementation,
                    member: registration.joinsSet ? members[contract]?.count : nil,
                    kind: .registration(registration.lifetime),
                    isOpaque: !registration.dependencies.isComplete
                )
            )
        }
        for (index, registration) in registrations.enumerated() {
            draw(registration.dependencies, from: index)
            draw(registration.parts, from: index)
        }
        return nodes
    }

    private mutating func draw(_ parts: [RegistrationPart], from index: Int) {
        for part in parts {
            let place = nodes.endIndex
            nodes.append(
                DependencyNode(
                    contract: part.type,
                    kind: .part,
                    isOpaque: !part.dependencies.isComplete,
                    part: part
                )
            )
            nodes[index].edges.append(DependencyEdge(target: place, kind: .later))
            draw(part.dependencies, from: place)
            draw(part.parts, from: place)
        }
    }

    private mutating func draw(_ dependencies: Dependencies, from index: Int) {
        for dependency in dependencies.stated {
            for target in targets(of: dependency) {
                let edge = DependencyEdge(target: target, kind: dependency.isOptional ? .optional : .required)
                if !nodes[index].edges.contains(edge) { nodes[index].edges.append(edge) }
            }
        }
    }

    /// The places of what `dependency` is resolved to, as ``ResolutionScope`` does it; one that is missing gets a
    /// place as well, unless it may be.
    private mutating func targets(of dependency: Dependency) -> [Int] {
        if dependency.isSet, let members = members[ObjectIdentifier(dependency.contract)] { return members }

        var type = dependency.contract
        while true {
            if let index = last[ObjectIdentifier(type)] { return [index] }
            guard let optional = type as? any OptionalDependency.Type else { break }
            type = optional.wrapped
        }
        if let set = type as? any SetDependency.Type, let members = members[ObjectIdentifier(set.element)] {
            return members
        }
        return dependency.isOptional ? [] : [placeOfMissing(type)]
    }

    private mutating func placeOfMissing(_ type: Any.Type) -> Int {
        if let index = missing[ObjectIdentifier(type)] { return index }
        missing[ObjectIdentifier(type)] = nodes.endIndex
        nodes.append(DependencyNode(contract: type, kind: .missing, isOpaque: false))
        return nodes.endIndex - 1
    }
}
