// SPDX-License-Identifier: Apache-2.0

#if Simulation
import HeadraceCore
import Synchronization

/// Runs all jobs of a simulation on one thread, in an order that the seed determines.
final class Scheduler: Sendable {
    /// What a simulation must not do, because it would differ from run to run.
    struct Escape: Sendable {
        let kind: SimulationEscape.Kind
        let place: EscapePlace
        let step: Int
    }

    private let state: Mutex<SchedulerState>
    private let escapes = Mutex<[Escape]>([])

    init(seed: UInt64) {
        state = Mutex(SchedulerState(seed: seed))
    }

    // MARK: Time

    /// The time since the beginning of the simulation.
    var now: Duration { state.withLock(\.now) }

    /// The owner of the code that runs.
    var currentOwner: JobOwner { state.withLock(\.current) }

    /// Number of jobs that have run.
    var stepCount: Int { state.withLock(\.stepCount) }

    /// The steps so far.
    var trace: SimulationTrace { state.withLock(\.trace) }

    /// Runs `fire` at `due`, or as soon as the node is no longer paused; never if it is killed.
    @discardableResult
    func at(_ due: Duration, for owner: JobOwner, _ fire: @escaping @Sendable () -> Void) -> Int {
        state.withLock { $0.addTimer(at: due, for: owner, fire) }
    }

    func removeTimer(_ number: Int) {
        state.withLock { $0.removeTimer(number) }
    }

    func note(_ value: UInt64) {
        state.withLock { $0.note(value) }
    }

    // MARK: Owners

    /// Runs `body` as code of `owner`, so that the tasks that it starts or resumes belong to it.
    func run<Result>(as owner: JobOwner, _ body: () throws -> Result) rethrows -> Result {
        let previous = state.withLock { state in
            defer { state.current = owner }
            return state.current
        }
        defer { state.withLock { $0.current = previous } }
        return try body()
    }

    func pause(_ owner: JobOwner) {
        state.withLock { $0.pause(owner) }
    }

    func resume(_ owner: JobOwner) {
        state.withLock { $0.resume(owner) }
    }

    func kill(_ owner: JobOwner) {
        state.withLock { $0.kill(owner) }
    }

    func isKilled(_ owner: JobOwner) -> Bool { state.withLock { $0.isKilled(owner) } }

    // MARK: Jobs

    func enqueue(_ job: UnownedJob, isMain: Bool) {
        let task = Self.taskNumber(of: job)
        if let task { Self.simulated.withLock { $0[task] = self } }
        state.withLock { $0.add(job, isMain: isMain, task: task) }
    }

    /// Adds a job that sleeps on a real clock, whose deadline is different in each run.
    func enqueueEscaping(_ job: UnownedJob, after delay: Duration) {
        report(.realSleep)
        at(now + max(.zero, delay), for: currentOwner) { self.enqueue(job, isMain: false) }
    }

    /// Runs jobs and timers until `isDone`, or until nothing is left that is due before `end`.
    func run(until end: Duration, maximumSteps: Int, _ isDone: () -> Bool) {
        while !isDone(), stepCount < maximumSteps {
            switch state.withLock({ $0.next(until: end) }) {
            case .nothing: return
            case .timer(let timer): run(as: timer.owner) { Self.watched { timer.fire() } }
            case .job(let job): run(as: job.owner) { Self.watched { Self.run(job) } }
            }
        }
    }

    // MARK: Escapes

    /// The escapes so far, in their order.
    var reportedEscapes: [Escape] { escapes.withLock(\.self) }

    /// Notes an escape of the code that runs, with its place in the program.
    func report(_ kind: SimulationEscape.Kind) {
        let step = stepCount
        let place = EscapePlace.current
        escapes.withLock { escapes in
            if escapes.contains(where: { $0.kind == kind && $0.place.key == place.key }) { return }
            if escapes.count < Self.escapeLimit { escapes.append(Escape(kind: kind, place: place, step: step)) }
        }
    }

    /// Maximum number of places that one run notes.
    private static let escapeLimit = 20

    /// The schedulers of the tasks of all simulations that run.
    private static let simulated = Mutex<[UInt64: Scheduler]>([:])

    /// The scheduler to which a job belongs that is enqueued now; `nil` outside of simulations.
    static func scheduler(of job: UnownedJob) -> Scheduler? {
        if let current { return current }
        // Another thread resumes a task.
        guard simulationCount.load(ordering: .relaxed) > 0, let task = taskNumber(of: job),
            let scheduler = simulated.withLock({ $0[task] })
        else { return nil }
        scheduler.report(.foreignThread)
        return scheduler
    }

    private static let simulationCount = Atomic(0)

    /// Makes this the scheduler of the current thread while `body` runs.
    func bind<Result>(_ body: () throws -> Result) rethrows -> Result {
        SimulationExecutors.install()
        Self.simulationCount.add(1, ordering: .relaxed)
        Self.current = self
        defer {
            Self.current = nil
            Self.simulationCount.subtract(1, ordering: .relaxed)
            Self.simulated.withLock { tasks in tasks = tasks.filter { $0.value !== self } }
        }
        return try body()
    }
}
#endif
