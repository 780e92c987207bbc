// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// Runs the code of one workflow instance, job by job, on the thread of its caller.
///
/// The order of the jobs depends only on the code: of the tasks that can run, the earliest task continues. So
/// child tasks that run at the same time ask for their steps in the same order in each replay, also if a build with other
/// optimizations divides their code into other jobs.
final class WorkflowExecutor: TaskExecutor {
    private struct State {
        /// The jobs that can run, each with the number of its task.
        var jobs: [(task: UInt64, job: UnownedJob)] = []

        /// The thread that runs the jobs; `nil` if the code waits.
        var thread: UInt?

        /// Whether the instance was dropped: its code ends, and no result of it counts.
        var isClosed = false

        /// Number of jobs that didn't come from the instance.
        var strayCount = 0

        /// Removes the job of the earliest task; the jobs of one task keep their order.
        mutating func next() -> UnownedJob? {
            let earliest = jobs.indices.min { (jobs[$0].task, $0) < (jobs[$1].task, $1) }
            return earliest.map { jobs.remove(at: $0).job }
        }
    }

    private let state = Mutex(State())

    /// Whether something has resumed the code that isn't a step, such as a sleep of a task or an actor.
    var hasStrayJobs: Bool { state.withLock { $0.strayCount > 0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        let task = Self.task(in: job.description)
        let job = UnownedJob(job)
        let mustDrain = state.withLock { state in
            state.jobs.append((task, job))
            // A job of the code itself comes from the thread that runs it.
            if state.thread == ThreadIdentity.current { return false }
            state.strayCount += 1
            return state.isClosed && state.thread == nil
        }
        // The code of a dropped instance ends whenever what it waits for has ended.
        if mustDrain { Task.detached { self.drain {} } }
    }

    /// Runs `body`, and then all jobs until the code of the instance waits or has ended.
    func drain(_ body: () -> Void) {
        let isFirst = state.withLock { state in
            defer { state.thread = state.thread ?? ThreadIdentity.current }
            return state.thread == nil
        }
        body()
        // After the end of the instance, a job from elsewhere can have begun to run the others.
        if !isFirst { return }
        while let job = state.withLock({ state in
            let job = state.next()
            if job == nil { state.thread = nil }
            return job
        }) {
            run(job)
        }
    }

    /// Lets the executor run later jobs without a caller of ``drain(_:)``.
    func close() { state.withLock { $0.isClosed = true } }

    /// The number of the task in the description of one of its jobs, such as "ExecutorJob(id: 7)"; 0 if there is none.
    private static func task(in description: String) -> UInt64 {
        var number: UInt64 = 0
        for byte in description.utf8 where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
            number = number &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
