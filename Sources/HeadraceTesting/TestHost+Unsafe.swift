// SPDX-License-Identifier: Apache-2.0

/// Cancels the task that calls this function.
///
/// Why this is safe: the reference to the task is used only while the closure runs, in the task itself.
package func cancelCurrentTask() {
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
}

extension TestExecutor {
    /// Runs a job that `enqueue(_:)` received.
    ///
    /// Why this is safe: a job must run exactly once. `enqueue(_:)` stores each job once, and the only caller of this method
    /// removes the job from the storage under a lock first. Only one thread drains the storage at a time, because
    /// `isRunning` is set under the same lock. The executor lives longer than the call, as the draining closure retains it.
    func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(
            isolatedTo: asUnownedSerialExecutor(),
            taskExecutor: asUnownedTaskExecutor()
        )
    }
}

extension TestHost {
    /// The executor of the actor.
    ///
    /// Why this is safe: the reference doesn't retain the executor. The actor does, for as long as it lives.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
}
