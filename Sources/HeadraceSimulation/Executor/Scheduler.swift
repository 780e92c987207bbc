// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Dispatch
import HeadraceCore
import Synchronization

/// Runs all jobs of a simulation on one thread, in an order that the seed determines.
final class Scheduler: Sendable {
    /// A call that a simulation must not make, because its result would differ from run to run.
    struct Escape: Sendable {
        let kind: SimulationEscape.Kind
        let place: EscapePlace
        let step: Int
    }

    private let state: Mutex<SchedulerState>
    private struct Escapes {
        var places: [Escape] = []
        var isAllowed = false
    }

    private let escapes = Mutex(Escapes())
    private let allowedEscapes: Set<SimulationEscape.Kind>
    private let foreignJobs = DispatchSemaphore(value: 0)

    /// Number of other threads that are adding a job.
    private let enteringThreads = Atomic(0)

    init(seed: UInt64, allowing allowedEscapes: Set<SimulationEscape.Kind>) {
        self.allowedEscapes = allowedEscapes
        state = Mutex(SchedulerState(seed: seed))
    }

    // MARK: Time

    /// The time since the beginning of the simulation.
    var now: Duration { state.withLock(\.now) }

    /// The owner of the code that runs.
    var currentOwner: JobOwner { state.withLock(\.current) }

    /// Whether the main actor runs the current code.
    var isOnMainActor: Bool { state.withLock(\.isOnMainActor) }

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

    /// Adds a job; `task` is the number of its task, or `nil` for the job of an actor.
    func enqueue(_ job: UnownedJob, of task: UInt64?, isMain: Bool) {
        let isNew = state.withLock { $0.add(job, isMain: isMain, task: task) }
        if isNew, let task { SimulatedTasks.add(task, of: self) }
        if Self.current !== self {
            enteringThreads.subtract(1, ordering: .releasing)
            foreignJobs.signal()
        }
    }

    /// Adds a job that sleeps on a real clock.
    ///
    /// Its deadline is different in each run.
    func enqueueEscaping(_ job: UnownedJob, of task: UInt64?, after delay: Duration) {
        if Self.current !== self { return enqueue(job, of: task, isMain: false) }
        report(.realSleep)
        at(now + max(.zero, delay), for: currentOwner) { self.enqueue(job, of: task, isMain: false) }
    }

    /// Why ``run(until:maximumSteps:_:)`` has returned.
    enum End {
        case done
        case limitReached
        case nothingLeft
    }

    /// Runs jobs and timers until `isDone`, or until nothing is left, or until a limit is reached.
    @discardableResult
    func run(until end: Duration, maximumSteps: Int, _ isDone: () -> Bool) -> End {
        while !isDone() {
            if stepCount >= maximumSteps { return .limitReached }
            switch state.withLock({ $0.next(until: end) }) {
            case .nothingInTime: return .limitReached
            case .nothing:
                if isEnding { return .nothingLeft }
                // Only a thread outside of the simulation can go on now, which is an escape.
                let isOver = foreignJobs.wait(timeout: .now() + .seconds(5)) == .timedOut
                if isOver, enteringThreads.load(ordering: .acquiring) == 0 { return .nothingLeft }
            case .timer(let timer): run(as: timer.owner) { Self.watched { timer.fire() } }
            case .job(let job): run(as: job.owner) { Self.watched { Self.run(job) } }
            }
        }
        return .done
    }

    // MARK: The end

    /// Whether the run is over, and the tasks that remain are only released.
    var isEnding: Bool { state.withLock(\.isEnding) }

    /// Notes that the run is over, and lets the tasks of killed owners go on.
    func end() {
        state.withLock { $0.end() }
    }

    /// Forgets the jobs and timers that have not run.
    func removeAll() {
        let rest = state.withLock { state in
            defer { state.removeAll() }
            return state
        }
        withExtendedLifetime(rest) {}
    }

    /// Ends the task of the caller once the run is over.
    ///
    /// - Throws: `CancellationError`. A task that ignores too many of them is suspended for ever, so that it doesn't keep the thread.
    func checkEnd() async throws {
        if !isEnding { return }
        if cancellations.add(1, ordering: .relaxed).newValue > Self.cancellationLimit {
            try await Waiter<Void>().valueRegardless()
        }
        throw CancellationError()
    }

    private let cancellations = Atomic(0)

    /// Maximum number of errors that end the tasks of a run.
    private static let cancellationLimit = 2_000

    // MARK: Escapes

    /// The escapes so far, in their order.
    var reportedEscapes: [Escape] { escapes.withLock(\.places) }

    /// Whether something has happened that can differ from run to run.
    var hasEscaped: Bool { escapes.withLock { !$0.places.isEmpty || $0.isAllowed } }

    /// Notes an escape of the code that runs, with its place in the program.
    func report(_ kind: SimulationEscape.Kind) {
        if allowedEscapes.contains(kind) { return escapes.withLock { $0.isAllowed = true } }
        if escapes.withLock({ $0.places.count >= Self.escapeLimit }) { return }
        let step = stepCount
        let place = EscapePlace.current
        escapes.withLock { escapes in
            if escapes.places.contains(where: { $0.kind == kind && $0.place == place }) { return }
            escapes.places.append(Escape(kind: kind, place: place, step: step))
        }
    }

    /// Maximum number of escapes in a report.
    private static let escapeLimit = 5

    /// The scheduler to which a job belongs that is enqueued now; `nil` outside of simulations.
    static func scheduler(of task: UInt64?) -> Scheduler? {
        if let current { return current }
        // Another thread resumes a task.
        guard simulationCount.load(ordering: .relaxed) > 0, let task, let scheduler = SimulatedTasks.scheduler(of: task)
        else { return nil }
        scheduler.enteringThreads.add(1, ordering: .relaxed)
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
            SimulatedTasks.remove(state.withLock(\.tasks))
        }
        return try body()
    }
}

/// The schedulers of the tasks of all simulations that run, for jobs that other threads enqueue.
///
/// All simulations of the process share them, so they are in several tables, each with its own lock.
private enum SimulatedTasks {
    private final class Table: Sendable {
        let schedulers = Mutex<[UInt64: Scheduler]>([:])
    }

    private static let tables = (0..<64).map { _ in Table() }

    private static func table(of task: UInt64) -> Table { tables[Int(task % 64)] }

    static func scheduler(of task: UInt64) -> Scheduler? {
        table(of: task).schedulers.withLock { $0[task] }
    }

    static func add(_ task: UInt64, of scheduler: Scheduler) {
        table(of: task).schedulers.withLock { $0[task] = scheduler }
    }

    static func remove(_ tasks: some Sequence<UInt64>) {
        for task in tasks { table(of: task).schedulers.withLock { $0[task] = nil } }
    }
}
#endif
