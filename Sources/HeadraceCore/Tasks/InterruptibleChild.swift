// SPDX-License-Identifier: Apache-2.0

/// The outcome of an operation in an interruptible child task.
package enum InterruptibleOutcome<Output> {
    /// The operation ended before the deadline.
    case ended(Result<Output, any Error>)

    /// The deadline came first. Then the operation was cancelled, and ended with this result.
    case interrupted(Result<Output, any Error>)
}

/// Runs `operation` in a child task, on the actor of the caller, and cancels the child task at `deadline`.
///
/// The parent task isn't cancelled. The function returns when the operation has ended. The child task counts as the task of the
/// caller (``TaskIdentity``) and is cancelled with it.
package nonisolated(nonsending) func withInterruptibleChild<Output>(
    until deadline: ContinuousClock.Instant,
    on clock: any TimeSource,
    _ operation: nonisolated(nonsending) () async throws -> Output
) async -> InterruptibleOutcome<Output> {
    await runInterruptibly(operation, until: deadline, on: clock, isolation: #isolation)
}

private func runInterruptibly<Output>(
    _ operation: nonisolated(nonsending) () async throws -> Output,
    until deadline: ContinuousClock.Instant,
    on clock: any TimeSource,
    isolation: isolated (any Actor)?
) async -> InterruptibleOutcome<Output> {
    await withoutActuallyEscaping(operation) { operation in
        let work = ChildWork(operation)
        let parent = TaskIdentity.current
        let isInterrupted = await withTaskGroup(of: Void.self) { group in
            _ = isolation
            let interruption = OneShot<Bool>()
            group.addTask {
                await work.perform(for: parent, isolation: isolation)
                interruption.set(false)
            }
            var call: UInt64?
            if clock.isOfSystem {
                call = Alarm.ofSystem.set(at: deadline) { interruption.set(true) }
            } else {
                group.addTask {
                    if (try? await clock.sleep(until: deadline, tolerance: nil)) != nil { interruption.set(true) }
                }
            }
            let isInterrupted = try? await interruption.waitRegardless()
            if let call { Alarm.ofSystem.remove(call) }
            group.cancelAll()
            await group.waitForAll()
            return isInterrupted ?? false
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
