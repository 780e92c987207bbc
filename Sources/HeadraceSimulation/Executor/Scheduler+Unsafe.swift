// SPDX-License-Identifier: Apache-2.0

#if Simulation
import CSimulationEscapes
import Foundation
import Synchronization

@_silgen_name("swift_task_getJobTaskId")
private func runtimeTaskNumber(of job: UnownedJob) -> UInt64

extension Scheduler {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        unsafe pthread_key_create(&key, nil)
        return key
    }()

    /// The scheduler of this thread.
    ///
    /// The thread keeps no reference: the scheduler must outlive its binding, as it does in `bind(_:)`.
    static var current: Scheduler? {
        get {
            guard let pointer = unsafe pthread_getspecific(key) else { return nil }
            return unsafe Unmanaged<Scheduler>.fromOpaque(pointer).takeUnretainedValue()
        }
        set {
            let pointer = unsafe newValue.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
            unsafe pthread_setspecific(key, pointer)
        }
    }

    /// The number of the task that is the job `job`, which is unique in this process.
    static func taskNumber(of job: UnownedJob) -> UInt64 {
        runtimeTaskNumber(of: job)
    }

    /// Runs `job` on this thread.
    static func run(_ ready: SchedulerState.ReadyJob) {
        if ready.isMain {
            unsafe ready.job.runSynchronously(on: SimulationExecutors.mainExecutor.asUnownedSerialExecutor())
        } else {
            unsafe ready.job.runSynchronously(on: SimulationExecutors.defaultExecutor.asUnownedTaskExecutor())
        }
    }

    /// Runs `body`, and reports its escapes.
    static func watched(_ body: () -> Void) {
        headrace_watch_thread { escape in
            guard let current = Scheduler.current else { return }
            switch escape {
            case headrace_escape_clock: current.report(.realClock)
            case headrace_escape_random: current.report(.realRandomNumbers)
            case headrace_escape_blocking: current.report(.blocking)
            case headrace_escape_network: current.report(.network)
            default: current.report(.newThread)
            }
        }
        body()
        headrace_watch_thread(nil)
    }
}
#endif
