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
