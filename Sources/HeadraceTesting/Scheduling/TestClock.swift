// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
import IssueReporting
import Synchronization

/// A clock that stands still until the test advances it.
///
/// ```swift
/// let clock = TestClock()
/// async let answer = dispatch(command, retryingOn: clock)
///
/// await clock.waitForSleepers(1)         // returns when the code sleeps
/// clock.advance(by: .seconds(2))         // wakes it
/// #expect(try await answer == "done")
/// ```
///
/// No real time passes: a sleep ends when the clock is advanced to its deadline or its task is cancelled.
public final class TestClock: TimeSource {
    private let state: Mutex<SleeperList>
    private let start: ContinuousClock.Instant
    private let startDate: Date

    /// The instant to which the clock was last advanced.
    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// The date, which advances with the clock.
    ///
    /// A relay outside of `SystemValues.test(clock:seed:)` takes it as its wall clock:
    ///
    /// ```swift
    /// let relay = Relay(store: store, registrar: registrar, clock: clock, wallClock: { clock.date })
    /// ```
    public var date: Date { startDate.addingTimeInterval(start.duration(to: now) / .seconds(1)) }

    /// The smallest step of the clock: one attosecond, the resolution of `Duration`.
    public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

    /// The remaining time of each sleeping task, in the order in which the tasks will wake.
    public var remainingSleeps: [Duration] {
        state.withLock { list in list.sleepers.map { list.now.duration(to: $0.deadline) } }
    }

    /// Creates a clock whose current time is `now`, and whose current date is `date`.
    ///
    /// - Parameters:
    ///   - now: The current instant; by default that of ``HeadraceCore/SystemValues``.
    ///   - date: The current date; by default the beginning of 2001 in UTC.
    public init(now: ContinuousClock.Instant = CurrentClock().now, date: Date = Date(timeIntervalSinceReferenceDate: 0))
    {
        state = Mutex(SleeperList(now: now))
        start = now
        startDate = date
    }

    /// Advances the clock, and wakes all tasks whose deadlines it reaches.
    ///
    /// Tasks wake in the order of their deadlines. Tasks with equal deadlines wake in the order in which they fell asleep.
    ///
    /// Tasks that sleep on one executor also run in that order, each until it suspends or ends. These are
    ///
    /// - tasks of one priority that call ``sleep(until:tolerance:)`` of a `TestClock` on one actor, because the sleep stays on
    ///   the actor of its caller;
    /// - tasks with a serial task executor, such as the effects of a ``TestStation``.
    ///
    /// On a concurrent executor the tasks run at the same time, in any order. So do tasks of one actor that sleep on an
    /// `any Clock` or `any TimeSource`, because that call leaves the actor.
    ///
    /// The clock advances in one step. When a task wakes, ``now`` is the new time, not the deadline of the task. If a task
    /// sleeps several times, await ``waitForSleepers(_:)`` before each step.
    ///
    /// - Parameter duration: The step; it must not be negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "'duration' must not be negative, because the clock cannot go back.")
        state.withLock { $0.advance(by: duration) }.resume()
    }

    /// Sleeps until the clock reaches `deadline`.
    ///
    /// Returns at once if the deadline has passed.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before or during the sleep.
    public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        try await sleep(until: deadline, isolation: #isolation)
    }

    /// Sleeps on the actor of the caller, so that the tasks of one actor run in the order in which they are resumed.
    private func sleep(until deadline: ContinuousClock.Instant, isolation: isolated (any Actor)?) async throws {
        let order = state.withLock { $0.makeOrder() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The cancellation handler takes the lock, too. If it ran before, the task is cancelled here. If it
                // runs later, it finds the sleeper.
                state.withLock { list in
                    let sleeper = SleeperList.Sleeper(
                        order: order, deadline: deadline, actor: isolation, continuation: continuation
                    )
                    return Task.isCancelled ? WakeUps(cancelled: sleeper) : list.add(sleeper)
                }.resume()
            }
        } onCancel: {
            state.withLock { $0.cancelSleeper(order) }.resume()
        }
        // This task occupies the actor until it suspends, so the next sleeper runs after that, even if the actor
        // reorders its jobs. A cancelled task doesn't get here, because it was never woken.
        if let isolation { state.withLock { $0.hasWoken(on: isolation) }.resume() }
    }

    /// Returns when at least `count` tasks sleep on the clock, or when the waiting task is cancelled.
    ///
    /// A sleeping task may not have suspended yet when this method returns. For tasks on an actor, this doesn't affect the
    /// order that ``advance(by:)`` promises. For tasks on a serial task executor, the executor must be idle first.
    public func waitForSleepers(_ count: Int) async {
        let order = state.withLock { $0.makeOrder() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { list in
                    let watcher = SleeperList.Watcher(order: order, count: count, continuation: continuation)
                    return Task.isCancelled ? WakeUps(watchers: [watcher]) : list.add(watcher)
                }.resume()
            }
        } onCancel: {
            state.withLock { $0.cancelWatcher(order) }.resume()
        }
    }
}

/// The sleeping tasks of a clock, and the tasks that wait for sleepers.
///
/// It is a pure state machine: its methods return the continuations to resume, and the caller resumes them.
struct SleeperList {
    struct Sleeper {
        let order: Int
        let deadline: ContinuousClock.Instant
        /// The actor that runs the sleeping task.
        let actor: (any Actor)?
        let continuation: CheckedContinuation<Void, any Error>
    }

    struct Watcher {
        let order: Int
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private(set) var now: ContinuousClock.Instant

    /// Sorted by deadline, then by the order in which the tasks fell asleep.
    private(set) var sleepers: [Sleeper] = []

    /// Due sleepers by actor.
    ///
    /// Each of them wakes after the previous sleeper of its actor runs again.
    ///
    /// An actor has an entry as long as one of its sleepers is waking.
    private var following: [ObjectIdentifier: ArraySlice<Sleeper>] = [:]

    private var watchers: [Watcher] = []
    private var lastOrder = 0

    init(now: ContinuousClock.Instant) {
        self.now = now
    }

    mutating func makeOrder() -> Int {
        lastOrder += 1
        return lastOrder
    }

    mutating func advance(by duration: Duration) -> WakeUps {
        now = now.advanced(by: duration)
        let due = Array(sleepers.prefix { $0.deadline <= now })
        sleepers.removeFirst(due.count)
        return WakeUps(sleepers: due.filter { wakes($0) })
    }

    /// Whether the due `sleeper` wakes now.
    ///
    /// Otherwise it is queued behind another sleeper of its actor.
    private mutating func wakes(_ sleeper: Sleeper) -> Bool {
        guard let actor = sleeper.actor.map(ObjectIdentifier.init) else { return true }
        if following[actor] == nil {
            following[actor] = []
            return true
        }
        following[actor]?.append(sleeper)
        return false
    }

    /// Records that a sleeper of `actor` runs again, so that the next one can wake.
    mutating func hasWoken(on actor: any Actor) -> WakeUps {
        let actor = ObjectIdentifier(actor)
        if let next = following[actor]?.popFirst() { return WakeUps(sleepers: [next]) }
        following[actor] = nil
        return WakeUps()
    }

    mutating func add(_ sleeper: Sleeper) -> WakeUps {
        if sleeper.deadline <= now { return wakes(sleeper) ? WakeUps(sleepers: [sleeper]) : WakeUps() }
        let index = sleepers.firstIndex {
            ($0.deadline, $0.order) > (sleeper.deadline, sleeper.order)
        }
        sleepers.insert(sleeper, at: index ?? sleepers.endIndex)
        let satisfied = watchers.filter { $0.count <= sleepers.count }
        watchers.removeAll { $0.count <= sleepers.count }
        return WakeUps(watchers: satisfied)
    }

    mutating func cancelSleeper(_ order: Int) -> WakeUps {
        guard let index = sleepers.firstIndex(where: { $0.order == order }) else { return WakeUps() }
        return WakeUps(cancelled: sleepers.remove(at: index))
    }

    mutating func add(_ watcher: Watcher) -> WakeUps {
        if watcher.count <= sleepers.count { return WakeUps(watchers: [watcher]) }
        watchers.append(watcher)
        return WakeUps()
    }

    mutating func cancelWatcher(_ order: Int) -> WakeUps {
        guard let index = watchers.firstIndex(where: { $0.order == order }) else { return WakeUps() }
        return WakeUps(watchers: [watchers.remove(at: index)])
    }
}

/// The continuations to resume after the lock has been released.
struct WakeUps {
    var sleepers: [SleeperList.Sleeper] = []
    var cancelled: SleeperList.Sleeper?
    var watchers: [SleeperList.Watcher] = []

    func resume() {
        for sleeper in sleepers { sleeper.continuation.resume() }
        cancelled?.continuation.resume(throwing: CancellationError())
        for watcher in watchers { watcher.continuation.resume() }
    }
}

extension SystemValues {
    /// Returns values that are the same in each run of a test.
    ///
    /// The date is that of `clock`. UUIDs are of version 7, and consist of that date, a counter, and random bits. The calendar is
    /// the Gregorian calendar in UTC, and the locale is `en_US_POSIX`.
    ///
    /// While they are current, the running test fails if an `EntityContext` is released with changes that no unit of work has
    /// committed.
    ///
    /// - Parameters:
    ///   - clock: The clock, which moves the date.
    ///   - seed: The seed of the random numbers and of the random bits in UUIDs. Concurrent tasks share them in any order.
    /// - Returns: The values.
    public static func test(clock: TestClock = TestClock(), seed: UInt64 = 1) -> SystemValues {
        let numbers = SharedGenerator(seed: seed)
        let bits = SharedGenerator(seed: ~seed)
        let sequence = Version7Sequence()
        var values = SystemValues(
            date: { clock.date },
            uuid: {
                let now = UInt64(max(0, clock.date.timeIntervalSince1970 * 1_000))
                return sequence.next(now: now, random: bits.next())
            },
            randomNumbers: RandomNumbers { numbers.next() },
            clock: clock,
            calendar: .testCalendar,
            locale: Locale(identifier: "en_US_POSIX")
        )
        values.reportMistake = { reportIssue($0) }
        return values
    }
}

extension Calendar {
    fileprivate static var testCalendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.locale = Locale(identifier: "en_US_POSIX")
        calendar.timeZone = .gmt
        return calendar
    }
}

/// A seeded generator for several tasks.
private final class SharedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
