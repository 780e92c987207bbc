// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// A serial executor that reports when no job is left.
///
/// It executes an actor and, as the task executor, the nonisolated parts of tasks. So all code of an effect between two
/// suspension points is a job of this executor. With a seed, the executor selects the next job at random. The jobs of one
/// task keep their order, because a task has at most one pending job.
///
/// A task on the executor of the process runs the jobs one after the other. So they belong to a simulation if it has started
/// them, and its other jobs can run between two of them.
package final class TestExecutor: SerialExecutor, TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var jobCount = 0
        var isRunning = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var generator: SeededGenerator?

        mutating func nextJob() -> UnownedJob? {
            if jobs.isEmpty { return nil }
            guard var generator else { return jobs.removeFirst() }
            defer { self.generator = generator }
            return jobs.remove(at: Int.random(in: 0..<jobs.count, using: &generator))
        }
    }

    private let state: Mutex<State>

    package init(seed: UInt64?) {
        state = Mutex(State(generator: seed.map { SeededGenerator(seed: $0) }))
    }

    /// Number of jobs that the executor has received.
    package var jobCount: Int { state.withLock { $0.jobCount } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustStart = state.withLock { state in
            state.jobs.append(job)
            state.jobCount += 1
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart { Task.detached { await self.drain() } }
    }

    /// Returns when no job is left: the last job has ended without a successor.
    ///
    /// This doesn't depend on time.
    package func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isRunning { state.waiting.append(continuation) }
                return !state.isRunning
            }
            if isIdle { continuation.resume() }
        }
    }

    private func drain() async {
        while let job = state.withLock({ $0.nextJob() }) ?? takeJobOrStop() {
            run(job)
            await Task.yield()
        }
    }

    /// Returns the next job.
    ///
    /// If there is none, it stops the executor and resumes the tasks that wait in ``idle()``.
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

/// The seed for the schedules of test stations that are created in this task; `nil` schedules jobs in FIFO order.
package enum ScheduleSeed {
    @TaskLocal package static var current: UInt64?
}

/// A random number generator that is reproducible by its seed.
package struct SeededGenerator: RandomNumberGenerator {
    private var numbers: SplitMix

    package init(seed: UInt64) {
        numbers = SplitMix(seed: seed)
    }

    package mutating func next() -> UInt64 { numbers.next() }
}
