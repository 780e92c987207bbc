// SPDX-License-Identifier: Apache-2.0

/// Builds the nodes of a ``DependencyGraph`` from registrations, as a container would use them.
struct GraphBuilder {
    private var nodes: [DependencyNode] = []

    /// The nodes of each type that has a set.
    private var members: [ObjectIdentifier: [Int]] = [:]

    /// The node of the last registration of each type.
    private var last: [ObjectIdentifier: Int] = [:]

    private var missing: [ObjectIdentifier: Int] = [:]

    private let registrations: [Registration]

    init(_ registrations: [Registration]) {
        self.registrations = Self.reachable(registrations.settled)
    }

    /// The registrations that are used: the last one of each type, and each member of a set.
    static func reachable(_ registrations: [Registration]) -> [Registration] {
        var last: [ObjectIdentifier: Int] = [:]
        for (index, registration) in registrations.enumerated() {
            last[ObjectIdentifier(registration.contract)] = index
        }
        return registrations.enumerated()
            .filter { $1.joinsSet || last[ObjectIdentifier($1.contract)] == $0 }
            .map(\.element)
    }

    /// Returns the registrations, then their parts and the missing types in the order in which they are met.
    mutating func build() -> [DependencyNode] {
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
                    isOpaque: !registration.dependencies.isComplete,
                    timeLimit: registration.timeLimit,
                    details: registration.remarks
                )
            )
        }
        for (index, registration) in registrations.enumerated() {
            add(registration.dependencies, to: index)
            add(registration.parts, to: index)
        }
        return nodes
    }

    private mutating func add(_ parts: [RegistrationPart], to index: Int) {
        for part in parts {
            let target = nodes.endIndex
            nodes.append(
                DependencyNode(
                    contract: part.type,
                    kind: .part,
                    isOpaque: !part.dependencies.isComplete,
                    part: part
                )
            )
            nodes[index].edges.append(DependencyEdge(target: target, kind: .later))
            add(part.dependencies, to: target)
            add(part.parts, to: target)
        }
    }

    private mutating func add(_ dependencies: Dependencies, to index: Int) {
        for dependency in dependencies.stated {
            let targets = dependency.targets(
                single: { last[ObjectIdentifier($0)] },
                members: { members[ObjectIdentifier($0)] }
            )
            for target in targets ?? [missingNode(for: dependency.wrapped)] {
                let edge = DependencyEdge(target: target, kind: dependency.isOptional ? .optional : .required)
                if !nodes[index].edges.contains(edge) { nodes[index].edges.append(edge) }
            }
        }
    }

    private mutating func missingNode(for type: Any.Type) -> Int {
        if let index = missing[ObjectIdentifier(type)] { return index }
        missing[ObjectIdentifier(type)] = nodes.endIndex
        nodes.append(DependencyNode(contract: type, kind: .missing, isOpaque: false))
        return nodes.endIndex - 1
    }
}

extension [Registration] {
    /// The notes of the registrations that are used.
    var notes: [any RegistrationNote] { GraphBuilder.reachable(withoutDecorators).flatMap(\.notes) }
}
