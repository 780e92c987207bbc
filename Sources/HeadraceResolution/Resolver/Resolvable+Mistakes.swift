// SPDX-License-Identifier: Apache-2.0

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension Resolvable {
    /// Explains how a type gets the initializer.
    @available(
        *, unavailable,
        message: """
            The type doesn't declare how it is created from a scope. To fix, write '@Resolvable' before the type, or \
            declare 'init(scope:)'.
            """
    )
    @_documentation(visibility: internal)
    public init(scope: borrowing any DependencyResolutionScope) {
        self.init(scope: scope)  // The requirement; this code never runs.
    }
}
