// SPDX-License-Identifier: Apache-2.0

package import HeadraceRelay

/// Runs `relay` while `operation` runs, and then shuts it down.
///
/// - Returns: The result of `operation`.
/// - Throws: The errors of `Relay.run()`; the errors of `operation`.
package nonisolated(nonsending) func withRelay<Result>(
    _ relay: Relay,
    _ operation: nonisolated(nonsending) () async throws -> Result
) async throws -> Result {
    let running = Task { try await relay.run() }
    do {
        let result = try await operation()
        relay.shutDown()
        try await running.value
        return result
    } catch {
        running.cancel()
        // A relay that can't run is the reason why the test failed.
        if case .failure(let reason) = await running.result, !(reason is CancellationError) { throw reason }
        throw error
    }
}
