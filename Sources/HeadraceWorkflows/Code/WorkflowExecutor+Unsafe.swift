// SPDX-License-Identifier: Apache-2.0

extension WorkflowExecutor {
    /// Runs a job that `enqueue(_:)` received.
    ///
    /// Why this is safe: a job must run exactly once. `enqueue(_:)` stores each job once, and the only caller of this method
    /// removes the job from the storage under a lock first. Only one thread drains the storage at a time, because
    /// `thread` is set under the same lock. The caller retains the executor.
    func run(_ job: UnownedJob) {
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
