// SPDX-License-Identifier: Apache-2.0

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
