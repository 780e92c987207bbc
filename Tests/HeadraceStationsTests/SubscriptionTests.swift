// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

/// A dripper whose state lists the subscriptions that are declared.
private struct Rooms: Dripper {
    struct State: Equatable, Sendable {
        var rooms: [String] = []
        var entries: [String] = []
    }

    enum Action: Equatable, Sendable {
        case declare([String])
        case note(String)
        case cancel
    }

    let effect: @Sendable (String) -> Effect<Action>

    var body: some Dripper<State, Action> {
        let effect = effect
        Drip { state, action in
            switch action {
            case .declare(let rooms): state.rooms = rooms
            case .note(let text): state.entries.append(text)
            case .cancel: return .cancel(id: "a")
            }
            return .none
        }
        StateSubscriptions { state in
            for room in state.rooms { StateSubscription(room, effect(room)) }
        }
    }
}

private struct House: Dripper {
    struct Room: Equatable, Sendable, Identifiable {
        var id: Int
        var state = Rooms.State()
    }

    struct State: Equatable, Sendable {
        var rooms: Children<Room> = []
        var hall: Rooms.State?
    }

    enum Action: Equatable, Sendable {
        case room(Int, Rooms.Action)
        case hall(Rooms.Action)
        case change(State)
    }

    var body: some Dripper<State, Action> {
        Drip { state, action in
            if case .change(let new) = action { state = new }
            return .none
        }
        Scope(
            each: \.rooms,
            action: Case(Action.room) { if case .room(let id, let action) = $0 { (id, action) } else { nil } }
        ) {
            Scope(
                state: \Room.state, action: Case({ (action: Rooms.Action) in action }) { $0 }
            ) { Rooms { name in .timer(every: .seconds(1)) { .note(name) } } }
        }
        Scope(
            optional: \.hall,
            action: Case(Action.hall) { if case .hall(let action) = $0 { action } else { nil } }
        ) { Rooms { name in .timer(every: .seconds(1)) { .note(name) } } }
    }
}

/// A timer whose last tick ends it.
private struct Countdown: Dripper {
    struct State: Equatable, Sendable {
        var isRunning = true
        var isOver = false
    }

    enum Action: Equatable, Sendable { case tick, timeUp }

    /// Whether the last tick returns its action as a `send` or as the action of an effect that takes a second.
    let sends: Bool

    var body: some Dripper<State, Action> {
        Drip { state, action in
            switch action {
            case .tick:
                state.isRunning = false
                return sends ? .send(.timeUp) : .concatenate(.sleep(for: .seconds(1)), .send(.timeUp))
            case .timeUp:
                state.isOver = true
                return .none
            }
        }
        StateSubscriptions { state in
            if state.isRunning { StateSubscription("timer", .timer(every: .seconds(1)) { .tick }) }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct SubscriptionTests {
    private static func timers(_ state: Rooms.State = Rooms.State()) -> TestStation<Rooms.State, Rooms.Action> {
        TestStation(initialState: state) { Rooms { name in .timer(every: .seconds(1)) { .note(name) } } }
    }

    @Test func subscriptionsStartAndEndWithTheState() async {
        let station = Self.timers()

        await station.expectSubscriptions()
        await station.pour(.declare(["a", "b"])) { $0.rooms = ["a", "b"] }
        await station.expectSubscriptions("a", "b")
        await station.advance(by: .seconds(1))
        await station.receive(.note("a")) { $0.entries = ["a"] }
        await station.receive(.note("b")) { $0.entries = ["a", "b"] }
        await station.pour(.declare(["b"])) { $0.rooms = ["b"] }
        await station.expectSubscriptions("b")
        await station.advance(by: .seconds(1))
        await station.receive(.note("b")) { $0.entries = ["a", "b", "b"] }
        await station.pour(.declare([])) { $0.rooms = [] }
        #expect(station.clock.remainingSleeps == [])
        await station.expectSubscriptions()
        await station.finish()
    }

    @Test func aSubscriptionThatStaysDeclaredIsNotRestarted() async {
        let station = Self.timers(Rooms.State(rooms: ["a"]))

        await station.advance(by: .milliseconds(900))
        await station.pour(.declare(["b", "a", "a"])) { $0.rooms = ["b", "a", "a"] }
        await station.expectSubscriptions("a", "b")
        await station.advance(by: .milliseconds(100))
        await station.receive(.note("a")) { $0.entries = ["a"] }
        await station.pour(.declare(["a", "a"])) { $0.rooms = ["a", "a"] }
        await station.expectSubscriptions("a")
        await station.finish()
    }

    @Test func anEffectCanNotCancelASubscription() async {
        let station = Self.timers(Rooms.State(rooms: ["a"]))

        await station.pour(.cancel)

        await station.expectSubscriptions("a")
        await station.finish()
    }

    @Test func anActionDoesNotWaitForItsSubscriptions() async throws {
        let station = Self.timers()

        let task = await station.pour(.declare(["a"])) { $0.rooms = ["a"] }
        #expect(task.isFinished)
        task.cancel()

        await station.expectSubscriptions("a")
        await station.finish()
    }

    @Test(arguments: [true, false]) func theEffectsOfAnActionThatEndsItsOwnSubscriptionGoOn(_ sends: Bool) async {
        let station = TestStation(initialState: Countdown.State()) { Countdown(sends: sends) }
        await station.expectSubscriptions("timer")

        await station.advance(by: .seconds(1))
        await station.receive(.tick) { $0.isRunning = false }
        await station.expectSubscriptions()
        if !sends { await station.advance(by: .seconds(1)) }
        await station.receive(.timeUp) { $0.isOver = true }

        #expect(station.clock.remainingSleeps == [])
        await station.finish()
    }

    @Test func anEffectOfAnActionOfASubscriptionThatStillRunsFailsTheTest() async {
        await withKnownIssue {
            let station = TestStation(initialState: Countdown.State()) { Countdown(sends: false) }
            await station.advance(by: .seconds(1))
            await station.receive(.tick) { $0.isRunning = false }
            await station.finish()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("1 effects are still running, sleeping for [1.0 seconds]") }
        }
    }

    @Test func aSubscriptionHasEndedAlthoughTheEffectsOfItsActionsRun() async {
        let station: TestStation<Rooms.State, Rooms.Action> = TestStation(initialState: Rooms.State(rooms: ["a"])) {
            Slow()
            Rooms { name in .run { pour in pour(.note(name)) } }
        }

        await station.receive(.note("a")) { $0.entries = ["a"] }
        await station.expectSubscriptions()
        #expect(station.clock.remainingSleeps == [.seconds(1)])
        await station.advance(by: .seconds(1))
        await station.finish()
    }

    @Test func aSubscriptionThatHasEndedStartsAgainOnlyAfterItWasGone() async {
        let starts = Mutex(0)
        let station = TestStation(initialState: Rooms.State()) {
            Rooms { name in
                .run { _ in starts.withLock { $0 += 1 } }
            }
        }

        await station.pour(.declare(["a"])) { $0.rooms = ["a"] }
        await station.expectSubscriptions()
        await station.pour(.note("")) { $0.entries = [""] }
        #expect(starts.withLock(\.self) == 1)
        await station.pour(.declare([])) { $0.rooms = [] }
        await station.pour(.declare(["a"])) { $0.rooms = ["a"] }
        #expect(starts.withLock(\.self) == 2)
        await station.finish()
    }

    @Test func aSubscriptionThatIsDeclaredForOneActionOfAQueueNeverRuns() async {
        struct Flicker: Dripper {
            typealias State = Bool
            typealias Action = Int

            let starts: @Sendable () -> Void

            var body: some Dripper<Bool, Int> {
                let starts = starts
                Drip { state, action in
                    state = action == 1
                    return action == 1 ? .send(2) : .none
                }
                StateSubscriptions { state in
                    if state { StateSubscription("x", .run { _ in starts() }) }
                }
            }
        }
        let starts = Mutex(0)
        let station = TestStation(initialState: false) { Flicker { starts.withLock { $0 += 1 } } }

        await station.pour(1) { $0 = true }
        await station.receive(2) { $0 = false }

        #expect(starts.withLock(\.self) == 0)
        await station.finish()
    }

    @Test func subscriptionsOfChildrenEndWithTheChild() async {
        var state = House.State(rooms: [House.Room(id: 1), House.Room(id: 2)], hall: Rooms.State())
        for id in 1...2 { state.rooms[id: id]?.state.rooms = ["room \(id)"] }
        state.hall?.rooms = ["hall"]
        let initial = state
        let station = TestStation(initialState: initial) { House() }
        await station.expectSubscriptions("hall", "room 1", "room 2")

        state.rooms.remove(id: 1)
        state.hall = nil
        let later = state
        await station.pour(.change(later)) { $0 = later }
        await station.expectSubscriptions("room 2")
        await station.advance(by: .seconds(1))
        await station.receive(.room(2, .note("room 2"))) { $0.rooms[id: 2]?.state.entries = ["room 2"] }

        await station.pour(.change(House.State())) { $0 = House.State() }
        await station.expectSubscriptions()
        await station.finish()
    }

    @Test func childrenWithEqualIdsOfSubscriptionsHaveTheirOwn() async {
        let room = Rooms.State(rooms: ["x"])
        let state = House.State(rooms: [House.Room(id: 1, state: room), House.Room(id: 2, state: room)])
        let station = TestStation(initialState: state) { House() }

        await station.expectSubscriptions("x", "x")
        await station.finish()
    }

    @MainActor @Test func aStationStartsTheSubscriptionsOfItsInitialState() async {
        let station = Station(initialState: Rooms.State(rooms: ["a"])) {
            Rooms { name in .run { pour in pour(.note(name)) } }
        }
        var entries = station.states(of: \.entries).makeAsyncIterator()

        #expect(await entries.next() == [])
        #expect(await entries.next() == ["a"])
    }

    @Test func anActorStationStartsTheSubscriptionsOfItsInitialState() async {
        let station = ActorStation(initialState: Rooms.State(rooms: ["a"])) {
            Rooms { name in .run { pour in pour(.note(name)) } }
        }

        for await state in await station.states() where state.entries == ["a"] { break }
        #expect(await station.entries == ["a"])
    }

    @MainActor @Test func releasingAStationCancelsItsSubscriptions() async {
        let gate = CancellableGate()
        let ended = ConditionVariable(false)
        var station: Station<Rooms.State, Rooms.Action>? = Station(initialState: Rooms.State(rooms: ["a"])) {
            Rooms { _ in
                .run { _ in
                    await gate.wait()
                    ended.change { $0 = true }
                }
            }
        }
        await gate.arrivals(1)
        #expect(station != nil)

        station = nil

        await ended.wait { $0 }
    }

    @Test func aSubscriptionThatIsNotAssertedFailsTheTest() async {
        await withKnownIssue {
            let station = Self.timers(Rooms.State(rooms: ["a"]))
            await station.pour(.note("")) { $0.entries = [""] }
            await station.finish()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("subscriptions [\"a\"] were not asserted") }
        }
    }

    @Test func aFailureOfASubscriptionFailsTheTest() async {
        await withKnownIssue {
            let station = TestStation(initialState: Rooms.State(rooms: ["a"])) {
                Rooms { _ in .run { _ in throw EffectFailure() } }
            }
            await station.pour(.note("")) { $0.entries = [""] }
            await station.finish()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("A subscription of the initial state failed") }
        }
    }
}

/// Sleeps after each note.
private struct Slow: Dripper {
    typealias State = Rooms.State
    typealias Action = Rooms.Action

    var body: some Dripper<State, Action> {
        Drip { _, action in
            if case .note = action { .sleep(for: .seconds(1)) } else { .none }
        }
    }
}
