// SPDX-License-Identifier: Apache-2.0

/// Runs `operation` on the actor of the caller, and `onCancel` when the task is cancelled.
///
/// `withTaskCancellationHandler` alone leaves the caller's actor, because its closure isn't isolated: two changes of the thread,
/// even if `operation` has nothing to wait for.
package nonisolated(nonsending) func withCancellationHandler<Result>(
    _ operation: nonisolated(nonsending) () async throws -> Result,
    onCancel: @Sendable () -> Void
) async rethrows -> Result {
    try await withCancellationHandler(isolation: #isolation, operation, onCancel: onCancel)
}

private func withCancellationHandler<Result>(
    isolation: isolated (any Actor)?,
    _ operation: nonisolated(nonsending) () async throws -> Result,
    onCancel: @Sendable () -> Void
) async rethrows -> Result {
    try await withTaskCancellationHandler {
        _ = isolation
        return try await operation()
    } onCancel: {
        onCancel()
    }
}
