// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

@MainActor
@Suite(.timeLimit(.minutes(2))) struct PolicyTests {
    private let clock = TestClock()
    private let station: Station<Log.State, Log.Action>

    init() {
        station = Station(initialState: Log.State(), clock: clock) { Log() }
    }

    /// An effect that pours a note when it begins and when it ends.
    private func work(_ name: String, until gate: CancellableGate) -> Effect<Log.Action> {
        .run { pour in
            pour(.note("\(name) begins"))
            await gate.wait()
            pour(.note("\(name) ends"))
        }
    }

    @Test func byDefaultAnEffectWaitsOnTheCurrentClock() async throws {
        try await SystemValues.withCurrent(.test(clock: clock)) {
            let station = Station(initialState: Log.State()) { Log() }
            let task = station.pour(.start("1", .sleep(for: .seconds(5))))
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(5))

            try await task.finish()
        }
    }

    @Test func theLatestEffectCancelsTheRunningEffect() async throws {
        let (one, two) = (CancellableGate(), CancellableGate())
        let first = station.pour(.start("1", work("one", until: one).cancellable(id: "x", cancelInFlight: true)))
        await one.arrivals(1)
        let second = station.pour(.start("2", work("two", until: two).cancellable(id: "x", cancelInFlight: true)))
        try await first.finish()
        two.open()
        try await second.finish()

        #expect(station.entries == ["1", "one begins", "2", "two begins", "two ends"])
    }

    @Test func anEffectWithTheDropPolicyIsDroppedWhileAnotherRuns() async throws {
        let gate = CancellableGate()
        let first = station.pour(.start("1", work("one", until: gate).cancellable(id: "x", policy: .drop)))
        let second = station.pour(.start("2", work("two", until: gate).cancellable(id: "x", policy: .drop)))
        #expect(second.isFinished)
        gate.open()
        try await first.finish()
        try await station.pour(.start("3", work("three", until: gate).cancellable(id: "x", policy: .drop))).finish()

        #expect(station.entries == ["1", "2", "one begins", "one ends", "3", "three begins", "three ends"])
    }

    @Test func theNewestEffectsRunAndTheOldestIsCancelled() async throws {
        let gates = (1...5).map { _ in CancellableGate() }
        let policy = EffectPolicy.newest(2)
        let tasks = (1...4).map { number in
            station.pour(
                .start("", work("\(number)", until: gates[number - 1]).cancellable(id: "x", policy: policy)))
        }
        try await tasks[0].finish()
        try await tasks[1].finish()
        for number in [3, 4] {
            await gates[number - 1].arrivals(1)
            gates[number - 1].open()
            try await tasks[number - 1].finish()
        }
        gates[4].open()
        try await station.pour(.start("", work("5", until: gates[4]).cancellable(id: "x", policy: policy))).finish()

        #expect(station.entries.filter { $0.hasSuffix("ends") } == ["3 ends", "4 ends", "5 ends"])
        // The effects 3 and 4 run at the same time, so they may begin in any order.
        #expect(
            station.entries.filter { $0.hasSuffix("begins") }.sorted() == ["3 begins", "4 begins", "5 begins"])
    }

    @Test func anEffectThatHasEndedMakesRoomForANewerEffect() async throws {
        let gates = (1...3).map { _ in CancellableGate() }
        let policy = EffectPolicy.newest(2)
        let one = station.pour(.start("", work("1", until: gates[0]).cancellable(id: "x", policy: policy)))
        await gates[0].arrivals(1)
        let two = station.pour(.start("", work("2", until: gates[1]).cancellable(id: "x", policy: policy)))
        await gates[1].arrivals(1)
        gates[1].open()
        try await two.finish()
        let three = station.pour(.start("", work("3", until: gates[2]).cancellable(id: "x", policy: policy)))
        await gates[2].arrivals(1)
        gates[0].open()
        try await one.finish()
        gates[2].open()
        try await three.finish()

        #expect(
            station.entries.filter { $0 != "" } == ["1 begins", "2 begins", "2 ends", "3 begins", "1 ends", "3 ends"])
    }

    @Test func theNewestPolicyCountsEffectsOfOtherPolicies() async throws {
        // A gate opens for all when one of its tasks is cancelled.
        let gates = (1...4).map { _ in CancellableGate() }
        let first = station.pour(.start("", work("1", until: gates[0]).cancellable(id: "x")))
        await gates[0].arrivals(1)
        let second = station.pour(.start("", work("2", until: gates[1]).cancellable(id: "x", policy: .newest(1))))
        try await first.finish()
        await gates[1].arrivals(1)
        let third = station.pour(.start("", work("3", until: gates[2]).cancellable(id: "x")))
        await gates[2].arrivals(1)
        let fourth = station.pour(.start("", work("4", until: gates[3]).cancellable(id: "x", policy: .newest(1))))
        try await second.finish()
        try await third.finish()
        await gates[3].arrivals(1)
        station.pour(.start("", .cancel(id: "x")))
        try await fourth.finish()

        #expect(station.entries.filter { $0 != "" } == ["1 begins", "2 begins", "3 begins", "4 begins"])
    }

    @Test func theOldestEffectsRunAndTheNewestIsDropped() async throws {
        let gate = CancellableGate()
        let tasks = (1...4).map { number in
            station.pour(.start("", work("\(number)", until: gate).cancellable(id: "x", policy: .oldest(2))))
        }
        #expect(tasks.map(\.isFinished) == [false, false, true, true])
        gate.open()
        for task in tasks { try await task.finish() }
        try await station.pour(.start("", work("5", until: gate).cancellable(id: "x", policy: .oldest(2)))).finish()

        // The effects 1 and 2 run at the same time, so they may end in any order.
        #expect(station.entries.filter { $0.hasSuffix("ends") }.sorted() == ["1 ends", "2 ends", "5 ends"])
    }

    @Test func queuedEffectsRunInOrderUpToTheLimit() async throws {
        let gate = CancellableGate()
        let tasks = (1...5).map { number in
            station.pour(
                .start("", work("\(number)", until: gate).cancellable(id: "x", policy: .queue(limit: 2)))
            )
        }
        #expect(tasks.map(\.isFinished) == [false, false, false, true, true])
        gate.open()
        for task in tasks { try await task.finish() }

        #expect(
            station.entries.filter { $0 != "" }
                == ["1 begins", "1 ends", "2 begins", "2 ends", "3 begins", "3 ends"]
        )
    }

    @Test func anEffectThatIsCancelledInTheQueueIsSkipped() async throws {
        let gate = CancellableGate()
        let tasks = (1...4).map { number in
            station.pour(
                .start("", work("\(number)", until: gate).cancellable(id: "x", policy: .queue(limit: 5)))
            )
        }
        tasks[1].cancel()
        tasks[2].cancel()
        gate.open()
        for task in tasks { try await task.finish() }

        #expect(station.entries.filter { $0 != "" } == ["1 begins", "1 ends", "4 begins", "4 ends"])
    }

    @Test func releasingAStationEndsItsQueuedEffects() async throws {
        let gate = CancellableGate()
        var station: Station<Log.State, Log.Action>? = Station(initialState: Log.State()) { Log() }
        let tasks = (1...3).compactMap { number in
            station?.pour(
                .start("", work("\(number)", until: gate).cancellable(id: "x", policy: .queue(limit: 5)))
            )
        }
        await gate.arrivals(1)

        station = nil

        for task in tasks { try await task.finish() }
        #expect(station == nil)
    }

    @Test func cancellingAnIdDropsItsQueuedEffects() async throws {
        let gate = CancellableGate()
        let tasks = (1...3).map { number in
            station.pour(
                .start("", work("\(number)", until: gate).cancellable(id: "x", policy: .queue(limit: 5)))
            )
        }
        await gate.arrivals(1)
        station.pour(.start("stop", .cancel(id: "x")))
        for task in tasks { try await task.finish() }

        #expect(station.entries.filter { $0 != "" } == ["1 begins", "stop"])
    }

    @Test func debouncedEffectsBeginAfterAPause() async throws {
        let effect = { (name: String) in Effect<Log.Action>.send(.note(name)).debounce(id: 0, for: .seconds(1)) }
        let first = station.pour(.start("1", effect("one")))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(900))
        let second = station.pour(.start("2", effect("two")))
        try await first.finish()
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(999))
        #expect(clock.remainingSleeps == [.milliseconds(1)])
        clock.advance(by: .milliseconds(1))
        try await second.finish()

        #expect(station.entries == ["1", "2", "two"])
    }

    @Test func throttledEffectsBeginAtMostOncePerInterval() async throws {
        let effect = { (name: String) in
            Effect<Log.Action>.send(.note(name)).throttle(id: 0, for: .seconds(1), latest: false)
        }

        station.pour(.start("", effect("one")))
        station.pour(.start("", effect("two")))
        clock.advance(by: .milliseconds(999))
        station.pour(.start("", effect("three")))
        clock.advance(by: .milliseconds(1))
        station.pour(.start("", effect("four")))

        #expect(station.entries.filter { $0 != "" } == ["one", "four"])
        #expect(clock.remainingSleeps == [])
    }

    @Test func theLatestThrottledEffectBeginsAfterTheInterval() async throws {
        let effect = { (name: String) in
            Effect<Log.Action>.send(.note(name)).throttle(id: 0, for: .seconds(1), latest: true)
        }

        station.pour(.start("", effect("one")))
        let second = station.pour(.start("", effect("two")))
        let third = station.pour(.start("", effect("three")))
        try await second.finish()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await third.finish()
        let fourth = station.pour(.start("", effect("four")))
        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await fourth.finish()

        #expect(station.entries.filter { $0 != "" } == ["one", "three", "four"])
    }

    /// Pours a throttled note, and waits until it was poured or sleeps.
    private func throttled(_ name: String, leading: Bool, _ trailing: TrailingEffect) -> PourTask {
        station.pour(
            .start(
                "",
                Effect<Log.Action>.send(.note(name)).throttle(
                    id: 0, for: .seconds(1), leading: leading, trailing: trailing)
            )
        )
    }

    @Test func theFirstThrottledEffectBeginsAfterTheInterval() async throws {
        _ = throttled("one", leading: true, .first)
        let second = throttled("two", leading: true, .first)
        #expect(throttled("three", leading: true, .first).isFinished)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await second.finish()
        // The trailing effect begins the next interval.
        let fourth = throttled("four", leading: true, .first)
        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await fourth.finish()
        clock.advance(by: .seconds(1))
        _ = throttled("five", leading: true, .first)

        #expect(station.entries.filter { $0 != "" } == ["one", "two", "four", "five"])
    }

    @Test(arguments: [(TrailingEffect.first, "one"), (.latest, "two")])
    func aThrottleWithoutALeadingEffectBeginsAtTheEndOfTheInterval(_ trailing: TrailingEffect, _ name: String)
        async throws
    {
        let first = throttled("one", leading: false, trailing)
        if trailing == .latest { await clock.waitForSleepers(1) }
        let second = throttled("two", leading: false, trailing)
        #expect(station.entries == ["", ""])
        if trailing == .latest { try await first.finish() }
        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await first.finish()
        try await second.finish()

        #expect(station.entries == ["", "", name])
    }

    @Test(arguments: [TrailingEffect.first, .latest], [true, false])
    func aDueEffectBeginsBeforeTheNextEffectAlthoughItsTaskHasNotWoken(_ trailing: TrailingEffect, _ leading: Bool)
        async throws
    {
        if leading { _ = throttled("zero", leading: true, trailing) }
        let first = throttled("one", leading: leading, trailing)
        clock.advance(by: .seconds(1))
        let second = throttled("two", leading: leading, trailing)
        #expect(station.entries.filter { $0 != "" && $0 != "zero" } == ["one"])
        try await first.finish()
        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await second.finish()

        #expect(station.entries.filter { $0 != "" && $0 != "zero" } == ["one", "two"])
    }

    @Test(arguments: [TrailingEffect.first, .latest])
    func aCancelledThrottledEffectDoesNotKeepTheNextEffectFromWaiting(_ trailing: TrailingEffect) async throws {
        let first = throttled("one", leading: false, trailing)
        station.pour(.start("", .cancel(id: 0)))
        let second = throttled("two", leading: false, trailing)
        second.cancel()
        let third = throttled("three", leading: false, trailing)
        try await first.finish()
        try await second.finish()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await third.finish()

        #expect(station.entries.filter { $0 != "" } == ["three"])
        #expect(clock.remainingSleeps == [])
    }

    @Test func aThrottledEffectThatWaitsIsReleasedWithItsStation() async {
        let freed = CancellableGate()
        var station: Station<Log.State, Log.Action>? = Station(initialState: Log.State(), clock: clock) { Log() }
        do {
            let witness = Witness(freed)
            let effect = Effect<Log.Action>.run { _ in withExtendedLifetime(witness) {} }
            station?.pour(
                .start("", effect.throttle(id: 0, for: .seconds(1), leading: false, trailing: .latest)))
        }
        await clock.waitForSleepers(1)

        station = nil

        await freed.wait()
        #expect(clock.remainingSleeps == [])
    }

    @Test func aTimerDoesNotDrift() async throws {
        let task = station.pour(.start("", Effect.timer(every: .seconds(1)) { .note("beat") }.cancellable(id: "t")))
        for _ in 1...3 {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(2_500))
        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.milliseconds(500)])
        station.pour(.start("stop", .cancel(id: "t")))
        try await task.finish()

        #expect(station.entries == ["", "beat", "beat", "beat", "beat", "stop"])
    }

    @Test func cancellingAnOuterIdCancelsTheInnerId() async throws {
        let gate = CancellableGate()
        let task = station.pour(
            .start("", work("one", until: gate).cancellable(id: "inner").cancellable(id: "outer"))
        )
        await gate.arrivals(1)
        station.pour(.start("stop", .cancel(id: "outer")))
        try await task.finish()

        #expect(station.entries == ["", "one begins", "stop"])
    }
}
