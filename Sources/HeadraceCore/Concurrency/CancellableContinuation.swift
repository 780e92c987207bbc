// SPDX-License-Identifier: Apache-2.0

/// Suspends the task until its continuation is resumed or the task is cancelled.
///
/// Both closures must lock the same mutex. Then a cancellation is never lost: the cancellation handler runs either
/// before `enqueue`, which finds `Task.isCancelled`, or after it, and finds the continuation.
///
/// - Parameters:
///   - enqueue: Stores the continuation and returns `nil`, or returns the result if the task needn't wait.
///   - remove: Removes the stored continuation and returns it; `nil` if it is no longer stored, or isn't yet.
/// - Returns: The value with which the continuation is resumed.
/// - Throws: `CancellationError` if the task is cancelled while it waits; the error of the result.
nonisolated(nonsending) func withCancellableContinuation<Value: Sendable>(
    enqueue: (CheckedContinuation<Value, any Error>) -> Result<Value, any Error>?,
    remove: @Sendable () -> CheckedContinuation<Value, any Error>?
) async throws -> Value {
    try await withCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            if let result = enqueue(continuation) { continuation.resume(with: result) }
        }
    } onCancel: {
        remove()?.resume(throwing: CancellationError())
    }
}
