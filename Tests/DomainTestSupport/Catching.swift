// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Runs `operation`, and catches the error of type `type` that it must throw, as a handler would.
package nonisolated(nonsending) func catching<Caught>(
    _ type: Caught.Type,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ operation: nonisolated(nonsending) () async throws -> Void
) async {
    do {
        try await operation()
        Issue.record("Nothing was thrown.", sourceLocation: sourceLocation)
    } catch {
        #expect(error is Caught, sourceLocation: sourceLocation)
    }
}
