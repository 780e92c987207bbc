//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Foundation
import Synchronization

/// Runs tasks on one thread whose stack is as small as that of a secondary thread on Apple's platforms: 512 KiB.
final class SmallStackExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let signal = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs `operation` on such a thread, and ends the thread.
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

    /// Runs jobs until it is woken without one.
    private func work() {
        while true {
            signal.wait()
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let job else { return }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
