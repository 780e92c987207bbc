// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStations
import Observation
import Synchronization
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct FeedTests {
    @Test func aFeedBeginsWithTheCurrentStateAndContinuesWithItsChanges() async {
        let station = Station(initialState: Log.State()) { Log() }
        var states = station.states.makeAsyncIterator()

        station.pour(.note("a"))
        station.pour(.start("b", .send(.note("c"))))

        for expected in [[], ["a"], ["a", "b"], ["a", "b", "c"]] {
            #expect(await states.next()?.entries == expected)
        }
    }

    @Test func anActionThatChangesNothingAddsNoElement() async {
        let station = Station(initialState: 0) {
            Drip<Int, Int> { state, action in
                state = action
                return .none
            }
        }
        var states = station.states.makeAsyncIterator()

        for action in [0, 0, 1, 1, 2] { station.pour(action) }

        for expected in [0, 1, 2] { #expect(await states.next() == expected) }
    }

    @Test func aFullBufferDropsTheOldestElementAndNeverTheLast() async {
        let station = Station(initialState: 0) {
            Drip<Int, Int> { state, action in
                state = action
                return .none
            }
        }
        var few = station.states(limit: 2).makeAsyncIterator()
        var one = station.states(limit: 1).makeAsyncIterator()

        for action in 1...1_000 { station.pour(action) }

        #expect(await few.next() == 999)
        #expect(await few.next() == 1_000)
        #expect(await one.next() == 1_000)
        station.pour(1_001)
        #expect(await few.next() == 1_001)
        #expect(await one.next() == 1_001)
    }

    @Test func changesByRemotePoursAreNeverLost() async throws {
        for round in 0..<200 {
            let station = Station(initialState: 0) {
                Drip<Int, Int> { state, action in
                    guard action == 0 else {
                        state += action
                        return .none
                    }
                    return .run { pour in
                        let pour = pour.remote()
                        await withTaskGroup { group in
                            for _ in 0..<4 { group.addTask { await pour(1) } }
                        }
                    }
                }
            }
            async let last = { @MainActor in
                for await state in station.states(limit: 1) where state == 4 { return state }
                return -1
            }()
            try await station.pour(0).finish()
            #expect(await last == 4, "round \(round)")
        }
    }

    @Test func aFeedOfAPropertyHasOneElementForEachNewValue() async {
        let station = Station(initialState: Counter.State()) { Counter() }
        var counts = station.states(of: \.count).makeAsyncIterator()

        station.pour(.increase)
        station.pour(.increase)
        station.pour(.decrease)

        for expected in [0, 1, 2, 1] { #expect(await counts.next() == expected) }
    }

    @Test func aFeedOfAnObjectHasAnElementForEachChange() async {
        let station = Station(initialState: Counter.State()) { Counter() }
        var states = station.states.makeAsyncIterator()
        _ = await states.next()

        station.pour(.increase)

        #expect(await states.next()?.count == 1)
    }

    @Test func aFeedEndsWhenItsStationIsReleased() async {
        var station: StationOf<Counter>? = Station(initialState: Counter.State()) { Counter() }
        guard let feed = station?.states(of: \.count) else { return }
        var counts = feed.makeAsyncIterator()
        station?.pour(.increase)

        station = nil

        #expect(await counts.next() == 0)
        #expect(await counts.next() == 1)
        #expect(await counts.next() == nil)
        var late = feed.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func changesNameThePropertiesWithOldAndNew() async {
        let station = Station(initialState: Counter.State()) { Counter() }
        var changes = station.changes.makeAsyncIterator()

        station.pour(.increase)
        let reduction = await changes.next()

        #expect(reduction?.action == .increase)
        #expect(reduction?.changes.map(\.property) == ["count"])
        #expect(reduction?.description == "increase\n  count: 0 → 1")
    }

    @Test func changesReachIntoValuesAndObjectsWithinTheState() async {
        let station = Station(initialState: Person()) {
            Drip<Person, String> { state, action in
                state.address.street = action
                state.friend = Person.Friend()
                state.tags.append(action)
                return .none
            }
        }
        var changes = station.changes.makeAsyncIterator()

        station.pour("Hill")

        #expect(
            await changes.next()?.changes.map(\.description) == [
                #"address.street: "Lane" → "Hill""#,
                #"friend.name: nothing → "Ann""#,
                #"tags: [] → ["Hill"]"#,
                #"friend: nil → nothing"#,
            ]
        )
    }

    @Test func stateObserversReceiveTheChangesOfAnAction() {
        let observer = ChangeRecorder()
        let station = Station(initialState: Counter.State(), observers: [observer]) { Counter() }

        station.pour(.increase)

        #expect(observer.changes.withLock(\.self) == ["action count: 0 → 1"])
    }

    @Test func anActorStationHasSequencesOfStatesAndChanges() async throws {
        let station = ActorStation(initialState: Log.State()) { Log() }
        var states = await station.states().makeAsyncIterator()
        var changes = await station.changes().makeAsyncIterator()

        await station.pour(.note("a"))

        #expect(try await states.next()?.entries == [])
        #expect(try await states.next()?.entries == ["a"])
        #expect(try await changes.next()?.changes.map(\.property) == ["entries"])
    }
}

private struct Person {
    struct Address {
        var street = "Lane"
    }

    final class Friend {
        let name = "Ann"
    }

    var address = Address()
    var friend: Friend?
    var tags: [String] = []
}

private final class ChangeRecorder: StateObserver {
    let changes = Mutex<[String]>([])

    func messageBegan(_ context: MessageContext) {}

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}

    func stateChanged(_ changes: [StateChange], in context: MessageContext) {
        self.changes.withLock { $0 += changes.map { "\(context.kind) \($0)" } }
    }
}
