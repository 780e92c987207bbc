// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCore
import HeadraceResolution
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

#if compiler(<6.3)
#error(
    "HeadraceSimulation needs Swift 6.3 or later. To fix, build without the trait Simulations, or with a newer compiler."
)
#endif

// If these lines don't compile, the compiler has changed the experimental interfaces of executors, on which the simulation relies.
// To fix, build without the trait Simulations, on which nothing else depends, or use a version of Headrace for this compiler.
private typealias InterfaceOfExecutorFactories = ExecutorFactory
private typealias InterfaceOfMainExecutors = MainExecutor
private typealias InterfaceOfSchedulingExecutors = SchedulingExecutor

/// Routes the jobs of simulations to their schedulers, and all others to the executors of the platform.
enum SimulationExecutors: ExecutorFactory {
    static let mainExecutor: any MainExecutor = SimulatedMainExecutor()
    static let defaultExecutor: any TaskExecutor = SimulatedDefaultExecutor()

    private static let installation: Void = {
        _createExecutors(factory: SimulationExecutors.self)
        MainActorCheck.askSimulation { Scheduler.current?.isOnMainActor }
    }()

    /// Installs the executors in this process, once.
    static func install() {
        _ = installation
    }
}

/// A job that the runtime enqueues, and the simulation to which it belongs.
private struct RoutedJob {
    let job: UnownedJob

    /// The number of the job's task; `nil` for the job of an actor, whose number isn't unique.
    let task: UInt64?

    /// The scheduler of the simulation; `nil` if the job belongs to none.
    let scheduler: Scheduler?

    init(_ job: consuming ExecutorJob) {
        let isTask = job.kind == .task
        self.job = UnownedJob(job)
        task = isTask ? Scheduler.taskNumber(of: self.job) : nil
        scheduler = Scheduler.scheduler(of: task)
    }
}

/// The executor of all jobs that have no executor of their own.
final class SimulatedDefaultExecutor: TaskExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let routed = RoutedJob(job)
        if let scheduler = routed.scheduler {
            return scheduler.enqueue(routed.job, of: routed.task, isMain: false)
        }
        PlatformExecutorFactory.defaultExecutor.enqueue(ExecutorJob(routed.job))
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        let routed = RoutedJob(job)
        if let scheduler = routed.scheduler {
            return scheduler.enqueueEscaping(
                routed.job, of: routed.task, after: delay as? Duration ?? .zero)
        }
        platform?.enqueue(ExecutorJob(routed.job), after: delay, tolerance: tolerance, clock: clock)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        let routed = RoutedJob(job)
        if let scheduler = routed.scheduler {
            return scheduler.enqueueEscaping(
                routed.job, of: routed.task, after: clock.now.duration(to: instant) as? Duration ?? .zero)
        }
        platform?.enqueue(ExecutorJob(routed.job), at: instant, tolerance: tolerance, clock: clock)
    }

    private var platform: (any SchedulingExecutor)? {
        PlatformExecutorFactory.defaultExecutor as? any SchedulingExecutor
    }
}

/// The executor of the main actor.
final class SimulatedMainExecutor: MainExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let routed = RoutedJob(job)
        if let scheduler = routed.scheduler {
            return scheduler.enqueue(routed.job, of: routed.task, isMain: true)
        }
        PlatformExecutorFactory.mainExecutor.enqueue(ExecutorJob(routed.job))
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        let routed = RoutedJob(job)
        if let scheduler = routed.scheduler {
            return scheduler.enqueueEscaping(
                routed.job, of: routed.task, after: delay as? Duration ?? .zero)
        }
        platform?.enqueue(ExecutorJob(routed.job), after: delay, tolerance: tolerance, clock: clock)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        let routed = RoutedJob(job)
        if let scheduler = routed.scheduler {
            return scheduler.enqueueEscaping(
                routed.job, of: routed.task, after: clock.now.duration(to: instant) as? Duration ?? .zero)
        }
        platform?.enqueue(ExecutorJob(routed.job), at: instant, tolerance: tolerance, clock: clock)
    }

    // The runtime asks before it calls code of the main actor from code whose isolation it doesn't know. Outside of simulations, the
    // executor of the platform runs the main actor, which isn't this object.
    func isIsolatingCurrentContext() -> Bool? { MainActorCheck.isCurrent }

    func checkIsolated() {
        if !MainActorCheck.isCurrent { PlatformExecutorFactory.mainExecutor.checkIsolated() }
    }

    func run() throws {
        try PlatformExecutorFactory.mainExecutor.run()
    }

    func stop() {
        PlatformExecutorFactory.mainExecutor.stop()
    }

    private var platform: (any SchedulingExecutor)? {
        PlatformExecutorFactory.mainExecutor as? any SchedulingExecutor
    }
}
#endif
