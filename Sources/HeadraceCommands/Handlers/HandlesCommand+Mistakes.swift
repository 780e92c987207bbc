// SPDX-License-Identifier: Apache-2.0

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension HandlesCommand {
    /// Explains which result a handler returns.
    @available(
        *, unavailable,
        message: """
            No method 'handle(_:)' takes the command and returns its 'Output'. To fix, return nothing, or write \
            'typealias Output = …' in the command.
            """
    )
    @_documentation(visibility: internal)
    public nonisolated(nonsending) func handle(_ command: Command) async throws -> Command.Output {
        try await handle(command)  // The requirement; this code never runs.
    }
}

extension HandlesQuery {
    /// Explains which value a handler returns.
    @available(
        *, unavailable,
        message: """
            No method 'handle(_:)' takes the query and returns its 'Value'. To fix, return a value of the type that \
            the query declares by 'typealias Value'.
            """
    )
    @_documentation(visibility: internal)
    public nonisolated(nonsending) func handle(_ query: Query) async throws -> Query.Value {
        try await handle(query)  // The requirement; this code never runs.
    }
}
