// SPDX-License-Identifier: Apache-2.0

#if Simulation
import HeadraceCore
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

#if compiler(<6.3)
#error("HeadraceSimulation needs Swift 6.3 or later. To fix, build without the trait Simulation, or with a newer compiler.")
#endif

// If these lines don't compile, the compiler has changed the experimental interfaces of executors, on which the simulation relies.
// To fix, build without the trait Simulation, on which nothing else depends, or use a version of Headrace for this compiler.
private typealias InterfaceOfExecutorFactories = ExecutorFactory
private typealias InterfaceOfMainExecutors = MainExecutor
private typealias InterfaceOfSchedulingExecutors = SchedulingExecutor

/// Routes the jobs of simulations to their schedulers, and all others to the executors of the platform.
enum SimulationExecutors: ExecutorFactory {
    static let mainExecutor: any MainExecutor = SimulatedMainExecutor()
    static let defaultExecutor: any TaskExecutor = SimulatedDefaultExecutor()

    private static let installation: Void = _createExecutors(factory: SimulationExecutors.self)

    /// Installs the executors in this process, once.
    static func install() {
        _ = installation
    }
}

/// The executor of all jobs without one of their own.
final class SimulatedDefaultExecutor: TaskExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        // An actor's job has a number, too, but one that isn't unique.
        let isTask = job.kind == .task
        let job = UnownedJob(job)
        let task = isTask ? Scheduler.taskNumber(of: job) : nil
        if let scheduler = Scheduler.scheduler(of: task) { return scheduler.enqueue(job, of: task, isMain: false) }
        PlatformExecutorFactory.defaultExecutor.enqueue(ExecutorJob(job))
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        // An actor's job has a number, too, but one that isn't unique.
        let isTask = job.kind == .task
        let job = UnownedJob(job)
        let task = isTask ? Scheduler.taskNumber(of: job) : nil
        if let scheduler = Scheduler.scheduler(of: task) {
            return scheduler.enqueueEscaping(job, of: task, after: delay as? Duration ?? .zero)
        }
        platform?.enqueue(ExecutorJob(job), after: delay, tolerance: tolerance, clock: clock)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        // An actor's job has a number, too, but one that isn't unique.
        let isTask = job.kind == .task
        let job = UnownedJob(job)
        let task = isTask ? Scheduler.taskNumber(of: job) : nil
        if let scheduler = Scheduler.scheduler(of: task) {
            return scheduler.enqueueEscaping(job, of: task, after: clock.now.duration(to: instant) as? Duration ?? .zero)
        }
        platform?.enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
    }

    private var platform: (any SchedulingExecutor)? {
        PlatformExecutorFactory.defaultExecutor as? any SchedulingExecutor
    }
}

/// The executor of the main actor.
final class SimulatedMainExecutor: MainExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        // An actor's job has a number, too, but one that isn't unique.
        let isTask = job.kind == .task
        let job = UnownedJob(job)
        let task = isTask ? Scheduler.taskNumber(of: job) : nil
        if let scheduler = Scheduler.scheduler(of: task) { return scheduler.enqueue(job, of: task, isMain: true) }
        PlatformExecutorFactory.mainExecutor.enqueue(ExecutorJob(job))
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        // An actor's job has a number, too, but one that isn't unique.
        let isTask = job.kind == .task
        let job = UnownedJob(job)
        let task = isTask ? Scheduler.taskNumber(of: job) : nil
        if let scheduler = Scheduler.scheduler(of: task) {
            return scheduler.enqueueEscaping(job, of: task, after: delay as? Duration ?? .zero)
        }
        platform?.enqueue(ExecutorJob(job), after: delay, tolerance: tolerance, clock: clock)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        // An actor's job has a number, too, but one that isn't unique.
        let isTask = job.kind == .task
        let job = UnownedJob(job)
        let task = isTask ? Scheduler.taskNumber(of: job) : nil
        if let scheduler = Scheduler.scheduler(of: task) {
            return scheduler.enqueueEscaping(job, of: task, after: clock.now.duration(to: instant) as? Duration ?? .zero)
        }
        platform?.enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
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
