//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Synchronization

/// Runs one job at a time, on a thread of its own, and knows when there is none left.
///
/// It is the executor of an actor and that of the tasks' nonisolated parts, so that whatever an effect does between two
/// suspensions is a job here. With a seed, which of several jobs is next is drawn; each task's own jobs keep their order,
/// since a task has only one at a time.
package final class TestExecutor: SerialExecutor, TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isRunning = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var generator: SeededGenerator?

        mutating func nextJob() -> UnownedJob? {
            if jobs.isEmpty { return nil }
            guard var drawn = generator else { return jobs.removeFirst() }
            defer { generator = drawn }
            return jobs.remove(at: Int.random(in: 0..<jobs.count, using: &drawn))
        }
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "headrace.test-executor")

    package init(seed: UInt64?) {
        state = Mutex(State(generator: seed.map { SeededGenerator(seed: $0) }))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustStart = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { queue.async { self.drain() } }
    }

    /// Returns when no job is left: not after some time, but when the last one has ended and has left no other.
    package func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isRunning { state.waiting.append(continuation) }
                return !state.isRunning
            }
            if isIdle { continuation.resume() }
        }
    }

    private func drain() {
        while let job = state.withLock({ $0.nextJob() }) ?? takeJobOrStop() {
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: asUnownedTaskExecutor()
            )
        }
    }

    /// The next job; stops, and lets those go on who wait, where there is none.
    private func takeJobOrStop() -> UnownedJob? {
        var waiting: [CheckedContinuation<Void, Never>] = []
        let job = state.withLock { state in
            let job = state.nextJob()
            if job == nil {
                state.isRunning = false
                waiting = state.waiting
                state.waiting = []
            }
            return job
        }
        for continuation in waiting { continuation.resume() }
        return job
    }
}
