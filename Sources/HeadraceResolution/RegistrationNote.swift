// SPDX-License-Identifier: Apache-2.0

/// A fact that a module records with a registration and checks with the graph.
///
/// For example, each command has one handler.
///
/// ```swift
/// struct Handled: RegistrationNote {
///     let message: String
///
///     static func problems(in notes: [Handled]) -> [CompositionProblem] {
///         Dictionary(grouping: notes, by: \.message).filter { $1.count > 1 }.keys.sorted().map {
///             CompositionProblem(CompositionProblem.Kind("repeated"), path: [], message: "\($0) is handled twice")
///         }
///     }
/// }
/// ```
package protocol RegistrationNote: Sendable {
    /// Returns the shortest path from the part `part` to a dependency that `isTarget` accepts, or `nil` if there is none.
    ///
    /// The path has the types that the part resolves when it is created, and not the types that they create later.
    typealias PathSearch = (_ part: Any.Type, _ isTarget: (Any.Type) -> Bool) -> [Any.Type]?

    /// Returns the mistakes in `notes`: all notes of this type in one container, in the order of registration.
    ///
    /// Notes of replaced registrations are left out.
    static func problems(in notes: [Self]) -> [CompositionProblem]

    /// Returns the mistakes in `notes`, as ``problems(in:)`` does, for notes that are checked against notes of other types.
    ///
    /// The default is ``problems(in:)``. `all` has the notes of every type.
    static func problems(in notes: [Self], among all: [any RegistrationNote]) -> [CompositionProblem]

    /// Returns the facts that can't be checked, for ``ValidationLevel/strict``. The default is an empty array.
    ///
    /// `all` has the notes of every type.
    static func unproved(in notes: [Self], among all: [any RegistrationNote]) -> [CompositionProblem]

    /// Returns the facts that can't be checked about dependencies, for ``ValidationLevel/strict``. The default is an empty array.
    ///
    /// `path` searches the graph of dependencies.
    static func unproved(in notes: [Self], finding path: PathSearch) -> [CompositionProblem]
}

extension RegistrationNote {
    package static func problems(in notes: [Self], among all: [any RegistrationNote]) -> [CompositionProblem] {
        problems(in: notes)
    }

    package static func unproved(in notes: [Self], among all: [any RegistrationNote]) -> [CompositionProblem] { [] }

    package static func unproved(in notes: [Self], finding path: PathSearch) -> [CompositionProblem] { [] }

    static func unproved(among notes: [any RegistrationNote], finding path: PathSearch) -> [CompositionProblem] {
        let own = notes.compactMap { $0 as? Self }
        return unproved(in: own, among: notes) + unproved(in: own, finding: path)
    }

    /// The problems of the notes of this type.
    static func problems(among notes: [any RegistrationNote]) -> [CompositionProblem] {
        problems(in: notes.compactMap { $0 as? Self }, among: notes)
    }
}

/// A type that an object creates in its scope while it is used.
///
/// For example, a dispatcher creates handlers.
///
/// The dependencies of the part must be registered. They may include the object, because the part is created later.
package struct RegistrationPart: Sendable {
    let type: Any.Type
    let dependencies: Dependencies

    /// The title in a drawing, if it isn't the name of the type.
    package var label: String?

    /// The text below the title in a drawing.
    package var remark = "made later"

    /// How to fix dependencies that can't be checked.
    package var advice: String?

    /// Whether the part resolves its dependencies from the scope of the object, and not from a new scope.
    var isInSameScope = false

    /// The parts that this part creates.
    package var parts: [RegistrationPart] = []

    /// Creates a part of `type`, with the dependencies that it states.
    package init<Part: Resolvable>(_ type: Part.Type) {
        self.type = type
        dependencies = type.ownDependencies
    }

    /// Creates a part of `type` with `dependencies`.
    package init(_ type: Any.Type, _ dependencies: Dependencies) {
        self.type = type
        self.dependencies = dependencies
    }
}
