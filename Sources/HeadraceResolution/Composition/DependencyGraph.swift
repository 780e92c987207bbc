//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a container can make, and out of what; it is known without making anything.
///
/// ```swift
/// try container.graph.mermaid.write(to: file, atomically: true, encoding: .utf8)
/// ```
///
/// A registration that another has replaced is not in it. What is registered stands in the order of
/// registration and what each takes in the order stated, so the same program draws the same text.
public struct DependencyGraph: Sendable {
    /// The registrations that can be reached, then their parts and what is missing, as they are met.
    package private(set) var nodes: [DependencyNode] = []

    private let registrations: [Registration]

    /// The types whose registrations take what they take by hand: closures with a scope, and types that do not
    /// state their ``Resolvable/dependencies``.
    public var opaque: [Any.Type] {
        nodes.filter(\.isOpaque).map(\.contract)
    }

    init(_ registrations: [Registration]) {
        self.registrations = registrations
        var drawing = Drawing(registrations)
        nodes = drawing.draw()
    }

    /// Proves that everything in the graph can be made.
    func validate(_ level: ValidationLevel) throws {
        var problems = missing + cyclic + duplicates + captives + noted
        if level == .strict { problems += unproved }
        guard problems.isEmpty else { throw CompositionError(problems, opaque: opaque) }
    }

    /// A problem for each type that is registered several times, which are no set.
    private var duplicates: [CompositionProblem] {
        var groups: [ObjectIdentifier: [Registration]] = [:]
        for registration in registrations {
            groups[ObjectIdentifier(registration.contract), default: []].append(registration)
        }
        return registrations.compactMap { registration in
            // The first of a group speaks for it.
            guard
                let group = groups.removeValue(forKey: ObjectIdentifier(registration.contract)),
                group.count > 1, !group.allSatisfy(\.joinsSet)
            else { return nil }
            return .duplicate(registration.contract, group)
        }
    }

    /// A problem for everything that can't be proved, then what other modules can't prove.
    private var unproved: [CompositionProblem] {
        nodes.filter(\.isOpaque).map { .unproved($0) }
            + eachKindOfNote { type(of: $0).unproved(among: $1) }
    }

    /// What other modules have found.
    private var noted: [CompositionProblem] {
        eachKindOfNote { type(of: $0).problems(among: $1) }
    }

    /// What `find` finds with one note of each type, and all notes.
    private func eachKindOfNote(
        _ find: (any RegistrationNote, [any RegistrationNote]) -> [CompositionProblem]
    ) -> [CompositionProblem] {
        var kinds: Set<ObjectIdentifier> = []
        let notes = Drawing.reachable(registrations).flatMap(\.notes)
        return notes.flatMap { note in
            kinds.insert(ObjectIdentifier(type(of: note))).inserted ? find(note, notes) : []
        }
    }
}
