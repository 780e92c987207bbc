// SPDX-License-Identifier: Apache-2.0

#if Simulations
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

    /// The addresses of the calls that led here, innermost first.
    static var currentCalls: [UInt] {
        let calls = unsafe [UnsafeMutableRawPointer?](unsafeUninitializedCapacity: 32) { buffer, count in
            count = unsafe Int(headrace_call_stack(buffer.baseAddress, 32))
        }
        return unsafe calls.map { UInt(bitPattern: $0) }
    }

    /// The name of the function at an address, and of its file.
    static func function(at address: UInt) -> (name: String, image: String)? {
        var image: UnsafePointer<CChar>?
        var isFound = false
        let name = unsafe String(unsafeUninitializedCapacity: 1_024) { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                isFound =
                    unsafe headrace_function_name(
                        UnsafeRawPointer(bitPattern: address), text.baseAddress, 1_024, &image) == 1
                return unsafe isFound ? text.baseAddress.map { unsafe strnlen($0, 1_024) } ?? 0 : 0
            }
        }
        guard isFound, let image = unsafe image else { return nil }
        return (name, unsafe String(cString: image))
    }
}
#endif
