// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// Runs tasks on one thread with a stack of 512 KiB, the size of a secondary thread's stack on Apple's platforms.
final class SmallStackExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let signal = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs `operation` on a new thread, and then ends the thread.
    static func run<Result: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let executor = SmallStackExecutor()
        let thread = Thread { executor.work() }
        thread.stackSize = 512 * 1024
        thread.start()
        defer { executor.signal.signal() }
        return try await Task(executorPreference: executor) { try await operation() }.value
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        signal.signal()
    }

    /// Runs jobs until the signal arrives without a job.
    ///
    /// Each job runs exactly once, on the executor that it was enqueued on: `enqueue(_:)` appends it, and it is removed
    /// from the list before it runs.
    private func work() {
        while true {
            signal.wait()
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let job else { return }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
