// SPDX-License-Identifier: Apache-2.0

/// The outcome of an operation in an interruptible child task.
package enum InterruptibleOutcome<Output> {
    /// The operation ended before the alarm.
    case ended(Result<Output, any Error>)

    /// The alarm came first. Then the operation was cancelled, and ended with this result.
    case interrupted(Result<Output, any Error>)
}

/// Runs `operation` in a child task, on the actor of the caller, and cancels the child task when `alarm` returns.
///
/// The parent task isn't cancelled. The function returns when both closures have ended. The child task counts as the
/// task of the caller (``TaskIdentity``) and is cancelled with it. If `alarm` throws, the operation isn't
/// interrupted.
package nonisolated(nonsending) func withInterruptibleChild<Output>(
    _ operation: nonisolated(nonsending) () async throws -> Output,
    until alarm: @escaping @Sendable () async throws -> Void
) async -> InterruptibleOutcome<Output> {
    await runInterruptibly(operation, until: alarm, isolation: #isolation)
}

private enum Signal: Sendable { case operationEnded, alarmReturned, alarmFailed }

private func runInterruptibly<Output>(
    _ operation: nonisolated(nonsending) () async throws -> Output,
    until alarm: @escaping @Sendable () async throws -> Void,
    isolation: isolated (any Actor)?
) async -> InterruptibleOutcome<Output> {
    await withoutActuallyEscaping(operation) { operation in
        let work = ChildWork(operation)
        let parent = TaskIdentity.current
        let isInterrupted = await withTaskGroup(of: Signal.self) { group in
            _ = isolation
            group.addTask {
                await work.perform(for: parent, isolation: isolation)
                return .operationEnded
            }
            group.addTask {
                do {
                    try await alarm()
                    return .alarmReturned
                } catch {
                    return .alarmFailed
                }
            }
            var first = await group.next()
            if first == .alarmFailed { first = await group.next() }
            group.cancelAll()
            await group.waitForAll()
            return first == .alarmReturned
        }
        let result = work.result
        return isInterrupted ? .interrupted(result) : .ended(result)
    }
}

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
