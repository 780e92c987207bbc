// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct ActorStationTests {
    @Test func theSameDrippersRunOffTheMainActor() async throws {
        let station: ActorStationOf<Counter> = ActorStation(initialState: Counter.State()) { Counter() }

        await station.pour(.increase)

        #expect(await station.count == 1)
        #expect(await station.read { $0.count * 2 } == 2)
    }

    @Test func effectsBeginOnItsActorAndReduceAtOnce() async throws {
        let station = ActorStation(initialState: Log.State()) { Log() }

        try await station.pour(
            .start(
                "a",
                .run { pour in
                    pour(.note("b"))
                    pour(.note("c"))
                })
        ).finish()

        #expect(await station.entries == ["a", "b", "c"])
    }

    @Test(arguments: [1, 2, 8, 32])
    func concurrentPoursLoseNoAction(tasks: Int) async throws {
        let station = ActorStation(initialState: 0) {
            Drip<Int, Int> { state, action in
                state += action
                return action == 1 ? .none : .run { pour in pour(1) }
            }
        }
        let actions = 2_000

        try await withThrowingTaskGroup { group in
            for _ in 0..<tasks {
                group.addTask {
                    for number in 0..<actions {
                        let task = await station.pour(number % 10 == 0 ? 2 : 1)
                        if number % 100 == 0 { try await task.finish() }
                    }
                    try await station.pour(1).finish()
                }
            }
            try await group.waitForAll()
        }
        // The effects of the discarded tasks were started before this effect.
        try await station.pour(2).finish()

        // Of ten actions, one adds two and has an effect that adds one. Each task adds one, and the last pour adds three.
        #expect(await station.state == tasks * (actions / 10 * 12 + 1) + 3)
    }

    @Test func aMillionPoursAreAllReduced() async throws {
        let station = ActorStation(initialState: 0) {
            Drip<Int, Int> { state, action in
                state += action
                guard action == 0 else { return .none }
                return .run { pour in
                    for _ in 0..<1_000_000 { pour(1) }
                }
            }
        }

        try await station.pour(0).finish()

        #expect(await station.state == 1_000_000)
    }

    @Test func remotePoursReturnWhenTheirActionsWereReduced() async throws {
        let station = ActorStation(initialState: 0) {
            Drip<Int, Int> { state, action in
                state += action
                guard action == 0 else { return .none }
                return .run { pour in
                    let pour = pour.remote()
                    await withTaskGroup { group in
                        for _ in 0..<8 {
                            group.addTask { for _ in 0..<1_000 { await pour(1) } }
                        }
                    }
                }
            }
        }

        try await station.pour(0).finish()

        #expect(await station.state == 8_000)
    }

    @Test func theLastOfCoalescingPoursIsAlwaysReduced() async throws {
        for round in 0..<50 {
            let station = ActorStation(initialState: 0) {
                Drip<Int, Int> { state, action in
                    state = action
                    guard action == 0 else { return .none }
                    return .run { pour in
                        let pour = pour.remote(.latest)
                        let done = CancellableGate()
                        Task.detached {
                            for number in 1...1_000 { await pour(number) }
                            done.open()
                        }
                        await done.wait()
                    }
                }
            }

            try await station.pour(0).finish()

            #expect(await station.state == 1_000, "round \(round)")
        }
    }

    @Test func aMillionCoalescingPoursIntoABusyStationAreReducedAsOne() async throws {
        let reduced = Mutex(0)
        let station = ActorStation(initialState: 0) {
            Drip<Int, Int> { state, action in
                state = action
                reduced.withLock { $0 += 1 }
                guard action == 0 else { return .none }
                return .run { pour in
                    let pour = pour.remote(.latest)
                    // The effect stays on the actor in the loop, so no action can be reduced.
                    for number in 1...1_000_000 { await pour(number) }
                }
            }
        }

        try await station.pour(0).finish()

        #expect(await station.state == 1_000_000)
        #expect(reduced.withLock(\.self) == 2)
    }

    @Test func aRemotePourDropsActionsAfterItsEffectHasEnded() async throws {
        let late = Mutex<RemotePour<Log.Action>?>(nil)
        let station = ActorStation(initialState: Log.State()) { Log() }
        try await station.pour(
            .start(
                "a",
                .run { pour in
                    let remote = pour.remote()
                    late.withLock { $0 = remote }
                })
        ).finish()

        await late.withLock(\.self)?(.note("late"))

        #expect(await station.entries == ["a"])
    }
}
