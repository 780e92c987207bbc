// SPDX-License-Identifier: Apache-2.0

/// The registered types and their dependencies, known without creating objects.
///
/// ```swift
/// try container.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
/// ```
///
/// A replaced registration is not in the graph. Nodes are in the order of registration and edges in the
/// order stated, so the same program draws the same text.
public struct DependencyGraph: Sendable {
    /// The registrations that are used, then their parts and the missing types in the order in which they are met.
    package private(set) var nodes: [DependencyNode] = []

    private let registrations: [Registration]

    /// The types whose registrations resolve types by hand: closures that take their scope, and types that don't state
    /// their ``Resolvable/dependencies``.
    public var opaque: [Any.Type] {
        nodes.filter(\.isOpaque).map(\.contract)
    }

    init(_ registrations: [Registration]) {
        self.registrations = registrations
        var builder = GraphBuilder(registrations)
        nodes = builder.build()
    }

    /// Returns the shortest path from the part `type` to a dependency that `isTarget` accepts.
    ///
    /// The path has the types that the part resolves when it is created, and not the types that they create later.
    ///
    /// - Returns: The types from `type` to the dependency, or `nil` if there is none.
    private func path(from type: Any.Type, to isTarget: (Any.Type) -> Bool) -> [Any.Type]? {
        guard let start = nodes.firstIndex(where: { $0.kind == .part && $0.contract == type }) else { return nil }
        var paths = [[start]]
        var seen: Set = [start]
        while !paths.isEmpty {
            let path = paths.removeFirst()
            for edge in path.last.map({ nodes[$0].edges }) ?? []
            where edge.kind != .later && seen.insert(edge.target).inserted {
                let longer = path + [edge.target]
                if isTarget(nodes[edge.target].contract) { return longer.map { nodes[$0].contract } }
                paths.append(longer)
            }
        }
        return nil
    }

    /// Checks that everything in the graph can be created.
    func validate(_ level: ValidationLevel) throws {
        var problems = missing + decoratorsOfMissing + cyclic + duplicates + captives + noted
        if level == .strict { problems += unproved }
        guard problems.isEmpty else { throw CompositionError(problems, opaque: opaque) }
    }

    /// A problem for each type that is registered several times, but not as a set.
    private var duplicates: [CompositionProblem] {
        var groups: [ObjectIdentifier: [Registration]] = [:]
        let registrations = registrations.withoutDecorators
        for registration in registrations {
            groups[ObjectIdentifier(registration.contract), default: []].append(registration)
        }
        return registrations.compactMap { registration in
            // The first registration of a group reports for all.
            guard
                let group = groups.removeValue(forKey: ObjectIdentifier(registration.contract)),
                group.count > 1, !group.allSatisfy(\.joinsSet)
            else { return nil }
            return .duplicate(registration.contract, group.map(\.lifetime.description))
        }
    }

    /// A problem for each type that has a decorator and no other registration.
    private var decoratorsOfMissing: [CompositionProblem] {
        let made = Set(registrations.withoutDecorators.map { ObjectIdentifier($0.contract) })
        return
            registrations
            .filter { $0.isDecorator && !made.contains(ObjectIdentifier($0.contract)) }
            .map { .missing($0.contract, path: [], neededBy: ["its decorator"]) }
    }

    /// A problem for each type that can't be checked, then the facts that other modules can't check.
    private var unproved: [CompositionProblem] {
        nodes.filter(\.isOpaque).map {
            .unproved($0.contract, madeAs: $0.implementation ?? $0.contract, advice: $0.part?.advice)
        } + eachKindOfNote { type(of: $0).unproved(among: $1, finding: path) }
    }

    /// The problems that other modules found.
    private var noted: [CompositionProblem] {
        eachKindOfNote { type(of: $0).problems(among: $1) }
    }

    /// Calls `find` with one note of each type, and all notes.
    private func eachKindOfNote(
        _ find: (any RegistrationNote, [any RegistrationNote]) -> [CompositionProblem]
    ) -> [CompositionProblem] {
        var kinds: Set<ObjectIdentifier> = []
        let notes = registrations.notes
        return notes.flatMap { note in
            kinds.insert(ObjectIdentifier(type(of: note))).inserted ? find(note, notes) : []
        }
    }
}

/// A type in a dependency graph.
package struct DependencyNode: Sendable {
    package enum Kind: Equatable, Sendable {
        /// A registration with this lifetime.
        case registration(Lifetime)

        /// A part that a registered object creates while it is used.
        case part

        /// A dependency that is not registered.
        case missing
    }

    /// The type that is resolved.
    package let contract: Any.Type

    /// The type that is created, if it is known and not the contract.
    package let implementation: Any.Type?

    /// Position of the node in the set of its contract, counting from 1; `nil` if it isn't in a set.
    let member: Int?

    package let kind: Kind

    /// Whether the type may have more dependencies than the edges.
    package let isOpaque: Bool

    /// The dependencies, in the order stated.
    package internal(set) var edges: [DependencyEdge] = []

    /// The time after which another object is created; `nil` if there is none.
    let timeLimit: Duration?

    /// Details of the registration, such as a time limit.
    let details: [String]

    /// The part of a registration that the node stands for, if any.
    let part: RegistrationPart?

    init(
        contract: Any.Type,
        implementation: Any.Type? = nil,
        member: Int? = nil,
        kind: Kind,
        isOpaque: Bool,
        timeLimit: Duration? = nil,
        details: [String] = [],
        part: RegistrationPart? = nil
    ) {
        self.contract = contract
        self.implementation = implementation
        self.member = member
        self.kind = kind
        self.isOpaque = isOpaque
        self.timeLimit = timeLimit
        self.details = details
        self.part = part
    }

    /// The lifetime of a registration.
    var lifetime: Lifetime? {
        if case .registration(let lifetime) = kind { lifetime } else { nil }
    }

    /// The contract, with the details that distinguish this registration from others of the same contract.
    var name: String {
        if let label = part?.label { return "'\(label)'" }
        return TypeSpelling.name(of: contract, madeAs: implementation, member: member)
    }
}

/// A dependency of one node on another.
package struct DependencyEdge: Hashable, Sendable {
    package enum Kind: Sendable {
        /// The dependency must be registered.
        case required

        /// The dependency may be missing.
        case optional

        /// The object creates the target while it is used.
        case later
    }

    /// Index of the target in the nodes of the graph.
    package let target: Int

    package let kind: Kind
}

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
