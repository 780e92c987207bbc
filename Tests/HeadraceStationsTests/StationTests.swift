// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Observation
import Synchronization
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct StationTests {
    @Test func theStateHasChangedWhenPourReturns() {
        let station: StationOf<Counter> = Station(initialState: Counter.State()) {
            Counter()
        }

        station.pour(.increase)
        #expect(station.count == 1)
        station.pour(.increase)
        station.pour(.decrease)
        #expect(station.state.count == 1)
    }

    @Test func theTypesOfAStationAreInferredFromTheStateAndTheDripper() {
        let station = Station(initialState: Counter.State(count: 3)) { Counter() }
        let plain = Station(initialState: Counter.State(count: 3), dripper: Counter())

        station.pour(.increase)
        plain.pour(.decrease)

        #expect((station.count, plain.count) == (4, 2))
    }

    @Test func anActionWithoutEffectsIsFinishedAtOnce() async throws {
        let station = Station(initialState: Counter.State()) { Counter() }

        let task = station.pour(.increase)

        #expect(task.isFinished)
        #expect(!task.isCancelled)
        try await task.finish()
    }

    @Test func sentActionsAreReducedBeforePourReturns() {
        let station = Station(initialState: Log.State()) { Log() }

        let task = station.pour(.start("a", .send(.start("b", .send(.note("c"))))))

        #expect(station.entries == ["a", "b", "c"])
        #expect(task.isFinished)
    }

    @Test func sentActionsAreReducedInTheOrderInWhichTheyWereReturned() {
        let station = Station(initialState: Log.State()) { Log() }

        station.pour(
            .start(
                "a",
                .merge(.send(.start("b", .send(.note("d")))), .send(.note("c")))
            )
        )

        #expect(station.entries == ["a", "b", "c", "d"])
    }

    @Test func aChainOfAHundredThousandSentActionsDoesNotGrowTheStack() {
        let station = Station(initialState: 0) {
            Drip<Int, Int> { state, action in
                state += 1
                return action > 0 ? .send(action - 1) : .none
            }
        }

        station.pour(100_000)

        #expect(station.state == 100_001)
    }

    @Test func aHundredThousandActionsPouredDuringAReductionDoNotGrowTheStack() {
        let reentrant = Reentrant(depth: 100_000)

        reentrant.station.pour(.go(0))

        #expect(reentrant.station.state.seen == 100_001)
        #expect(reentrant.station.state.isInOrder)
    }

    @Test func anActionPouredDuringAReductionIsReducedAfterwards() async throws {
        let station = Station(initialState: Log.State()) { Log() }
        let tasks = Mutex<[PourTask]>([])
        withObservationTracking {
            _ = station.entries
        } onChange: {
            MainActor.assumeIsolated {
                let first = station.pour(.start("x", .run { pour in pour(.note("from x")) }))
                let second = station.pour(.note("y"))
                tasks.withLock { $0 = [first, second] }
                #expect(!first.isFinished)
            }
        }

        station.pour(.start("a", .send(.note("b"))))

        #expect(station.entries == ["a", "x", "y", "b"])
        for task in tasks.withLock(\.self) { try await task.finish() }
        #expect(station.entries == ["a", "x", "y", "b", "from x"])
    }

    @Test func anActionCancelledBeforeItsTurnIsNotReduced() {
        let station = Station(initialState: Log.State()) { Log() }
        withObservationTracking {
            _ = station.entries
        } onChange: {
            MainActor.assumeIsolated { station.pour(.note("x")).cancel() }
        }

        station.pour(.note("a"))

        #expect(station.entries == ["a"])
    }

    @Test func aStationHoldsAStructOfAnyKind() {
        let station = Station(initialState: "") {
            Drip<String, Character> { state, action in
                state.append(action)
                return .none
            }
        }

        for character in "drip" { station.pour(character) }

        #expect(station.state == "drip")
        #expect(station.count == 4)
    }

    @Test func anObserverOfAStructIsNotifiedOfTheNextChange() {
        let station = Station(initialState: Log.State()) { Log() }
        let changes = Mutex(0)
        func track() {
            withObservationTracking {
                _ = station.entries
            } onChange: {
                changes.withLock { $0 += 1 }
            }
        }

        track()
        station.pour(.note("a"))
        station.pour(.note("b"))
        #expect(changes.withLock(\.self) == 1)
        track()
        station.pour(.note("c"))
        #expect(changes.withLock(\.self) == 2)
    }

    @Test func anObserverOfAnEquatableStructIsNotNotifiedOfAnActionThatChangesNothing() {
        let station = Station(initialState: Log.State()) { Log() }
        let changes = Mutex(0)
        withObservationTracking {
            _ = station.entries
        } onChange: {
            changes.withLock { $0 += 1 }
        }

        for _ in 1...2 {
            station.pour(.note("a"))
        }

        #expect(changes.withLock(\.self) == 1)
        let still = Station(initialState: 1) { Drip<Int, Int> { _, _ in .none } }
        withObservationTracking {
            _ = still.state
        } onChange: {
            changes.withLock { $0 += 10 }
        }
        still.pour(5)
        #expect(changes.withLock(\.self) == 1)
    }

    @Test func anObserverOfAClassIsNotifiedOfItsPropertyOnly() {
        let station = Station(initialState: Counter.State()) { Counter() }
        let changes = Mutex(0)
        withObservationTracking {
            _ = station.count
        } onChange: {
            changes.withLock { $0 += 1 }
        }

        station.pour(.increase)

        #expect(changes.withLock(\.self) == 1)
    }

    @Test func theBodyIsReadOnce() {
        let asked = Mutex(0)
        let station = Station(initialState: 0) { Asked { asked.withLock { $0 += 1 } } }

        for _ in 1...10 { station.pour(1) }

        #expect(station.state == 10)
        #expect(asked.withLock(\.self) == 1)
    }
}

/// Pours into its own station during a reduction.
@MainActor
private final class Reentrant {
    @Observable
    final class State {
        var seen = 0
        var isInOrder = true
    }

    enum Action { case go(Int) }

    private(set) lazy var station: Station<State, Action> = Station(initialState: State()) {
        Drip<State, Action> { [weak self, depth] state, action in
            guard case .go(let number) = action else { return .none }
            state.isInOrder = state.isInOrder && state.seen == number
            state.seen += 1
            if number < depth { MainActor.assumeIsolated { _ = self?.station.pour(.go(number + 1)) } }
            return .none
        }
    }

    private let depth: Int

    init(depth: Int) {
        self.depth = depth
    }
}

private struct Asked: Dripper {
    typealias State = Int
    typealias Action = Int

    let asked: () -> Void

    var body: some Dripper<Int, Int> {
        let _ = asked()
        Drip { state, action in
            state += action
            return .none
        }
    }
}
