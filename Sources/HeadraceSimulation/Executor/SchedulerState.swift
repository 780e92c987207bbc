// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceTesting

/// The owner of a job: a node, or the world around the nodes.
struct JobOwner: Hashable, Comparable, Sendable {
    let number: Int

    /// The owner of the test, of the store's server, and of the network.
    static let world = JobOwner(number: 0)

    static func < (left: JobOwner, right: JobOwner) -> Bool { left.number < right.number }
}

/// The jobs and timers of a simulation: a pure state machine.
struct SchedulerState {
    /// A job of the runtime that can run.
    struct ReadyJob {
        let job: UnownedJob
        let isMain: Bool
        let owner: JobOwner
    }

    /// Code that runs at a time, between two jobs.
    struct Timer {
        let due: Duration
        let number: Int
        let owner: JobOwner
        let fire: @Sendable () -> Void

        func isBefore(_ other: Timer) -> Bool { (due, number) < (other.due, other.number) }
    }

    /// What the scheduler does next.
    enum Step {
        case job(ReadyJob)
        case timer(Timer)
        case nothing

        /// Only timers are left, after the end.
        case nothingInTime
    }

    private enum Condition {
        case running
        case paused
        case killed
    }

    /// The time since the beginning of the simulation.
    private(set) var now = Duration.zero

    /// Whether the run is over.
    private(set) var isEnding = false

    /// The owner of the code that runs.
    var current = JobOwner.world

    /// Whether the step that runs is a job of the main actor.
    private(set) var isOnMainActor = false

    /// Number of the jobs that have run.
    private(set) var stepCount = 0

    private(set) var trace = SimulationTrace()

    private var ready: [ReadyJob] = []
    private var timers = TimerHeap()
    private var lastTimer = 0
    private var owners: [UInt64: JobOwner] = [:]
    private var conditions: [JobOwner: Condition] = [:]
    private var held: [JobOwner: [Step]] = [:]

    /// The jobs and timers of killed owners.
    private var buried: [Step] = []
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// The numbers of all tasks so far.
    var tasks: Dictionary<UInt64, JobOwner>.Keys { owners.keys }

    /// Adds a job; `task` is the number of its task, or `nil` if it has none.
    ///
    /// - Returns: Whether it is the first job of the task.
    mutating func add(_ job: UnownedJob, isMain: Bool, task: UInt64?) -> Bool {
        let known = task.flatMap { owners[$0] }
        if let task, known == nil { owners[task] = current }
        add(ReadyJob(job: job, isMain: isMain, owner: known ?? current))
        return known == nil
    }

    private mutating func add(_ job: ReadyJob) {
        switch conditions[job.owner] ?? .running {
        case .running: ready.append(job)
        case .paused: held[job.owner, default: []].append(.job(job))
        case .killed: buried.append(.job(job))
        }
    }

    /// Adds a timer, and returns its number, by which it can be removed.
    mutating func addTimer(at due: Duration, for owner: JobOwner, _ fire: @escaping @Sendable () -> Void) -> Int {
        lastTimer += 1
        timers.insert(Timer(due: due, number: lastTimer, owner: owner, fire: fire))
        return lastTimer
    }

    mutating func removeTimer(_ number: Int) {
        timers.remove(number)
        for owner in held.keys {
            held[owner]?.removeAll { if case .timer(let timer) = $0 { timer.number == number } else { false } }
        }
    }

    /// Holds the jobs and timers of `owner` until ``resume(_:)``.
    mutating func pause(_ owner: JobOwner) {
        if conditions[owner] == .killed { return }
        conditions[owner] = .paused
        hold(owner)
    }

    mutating func resume(_ owner: JobOwner) {
        guard conditions[owner] == .paused else { return }
        conditions[owner] = .running
        release(held.removeValue(forKey: owner) ?? [])
    }

    private mutating func release(_ steps: [Step]) {
        for step in steps {
            switch step {
            case .job(let job): ready.append(job)
            case .timer(let timer): timers.insert(timer)
            case .nothing, .nothingInTime: break
            }
        }
    }

    /// Lets no job and no timer of `owner` run until the end of the run.
    mutating func kill(_ owner: JobOwner) {
        hold(owner)
        conditions[owner] = .killed
        buried += held.removeValue(forKey: owner) ?? []
        buried += timers.removeAll { $0.owner == owner }.map { .timer($0) }
    }

    /// Notes that the run is over, and lets the tasks of killed owners go on, so that they release their memory.
    mutating func end() {
        isEnding = true
        for (owner, condition) in conditions where condition == .killed { conditions[owner] = .running }
        release(buried)
        buried = []
    }

    /// Forgets everything that has not run.
    mutating func removeAll() {
        ready = []
        timers = TimerHeap()
        held = [:]
        buried = []
    }

    func isKilled(_ owner: JobOwner) -> Bool { conditions[owner] == .killed }

    private mutating func hold(_ owner: JobOwner) {
        held[owner, default: []] += ready.filter { $0.owner == owner }.map { .job($0) }
        ready.removeAll { $0.owner == owner }
    }

    /// Returns what to do next, and moves the time.
    ///
    /// A job takes some microseconds, so that timers become due while jobs wait.
    mutating func next(until end: Duration) -> Step {
        while true {
            if let timer = timers.first, timer.due <= now || (ready.isEmpty && timer.due <= end) {
                timers.removeFirst()
                now = max(now, timer.due)
                if let condition = conditions[timer.owner], condition != .running {
                    if condition == .paused {
                        held[timer.owner, default: []].append(.timer(timer))
                    } else {
                        buried.append(.timer(timer))
                    }
                    continue
                }
                trace.append(TraceStep(owner: timer.owner, choice: 0, readyCount: 0, time: now, isTimer: true))
                isOnMainActor = false
                return .timer(timer)
            }
            if ready.isEmpty { return timers.first == nil ? .nothing : .nothingInTime }
            let index = ready.count == 1 ? 0 : Int.random(in: 0..<ready.count, using: &generator)
            trace.append(
                TraceStep(owner: ready[index].owner, choice: index, readyCount: ready.count, time: now, isTimer: false))
            let job = ready.remove(at: index)
            isOnMainActor = job.isMain
            stepCount += 1
            now += .microseconds(Int.random(in: 1...8, using: &generator))
            return .job(job)
        }
    }

    /// Adds something that has happened to the trace, so that two runs which differ in it don't count as equal.
    mutating func note(_ value: UInt64) {
        trace.note(value)
    }
}

/// The timers in the order of their times.
struct TimerHeap {
    private var timers: [SchedulerState.Timer] = []
    private var live: Set<Int> = []

    /// The timer that is due first.
    var first: SchedulerState.Timer? {
        mutating get {
            while let timer = timers.first {
                if live.contains(timer.number) { return timer }
                removeRoot()
            }
            return nil
        }
    }

    mutating func insert(_ timer: SchedulerState.Timer) {
        live.insert(timer.number)
        timers.append(timer)
        var child = timers.count - 1
        while child > 0, timers[child].isBefore(timers[(child - 1) / 2]) {
            timers.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func remove(_ number: Int) {
        live.remove(number)
    }

    /// Removes timers, and returns them in the order of their numbers.
    mutating func removeAll(where isRemoved: (SchedulerState.Timer) -> Bool) -> [SchedulerState.Timer] {
        let removed = timers.filter { live.contains($0.number) && isRemoved($0) }
        for timer in removed { live.remove(timer.number) }
        return removed.sorted { $0.number < $1.number }
    }

    /// Removes the timer that is due first.
    mutating func removeFirst() {
        if let first { live.remove(first.number) }
        removeRoot()
    }

    private mutating func removeRoot() {
        if timers.isEmpty { return }
        timers.swapAt(0, timers.count - 1)
        timers.removeLast()
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < timers.count }
            guard let least = children.min(by: { timers[$0].isBefore(timers[$1]) }),
                timers[least].isBefore(timers[parent])
            else { return }
            timers.swapAt(least, parent)
            parent = least
        }
    }
}
#endif
