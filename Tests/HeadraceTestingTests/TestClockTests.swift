//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct TestClockTests {
    private let clock = TestClock()

    @Test func itStandsStillUntilItIsMoved() {
        let start = clock.now

        #expect(clock.now == start)
        clock.advance(by: .seconds(3))
        clock.advance(by: .zero)

        #expect(start.duration(to: clock.now) == .seconds(3))
    }

    @Test func aSleepEndsAtItsDeadlineAndNoEarlier() async throws {
        let clock = clock
        let deadline = clock.now.advanced(by: .seconds(2))
        async let woken: Void = clock.sleep(until: deadline)

        await clock.sleepers(1)
        clock.advance(by: .seconds(2) - clock.minimumResolution)
        #expect(clock.remainingSleeps == [clock.minimumResolution])
        clock.advance(by: clock.minimumResolution)
        try await woken

        #expect(clock.remainingSleeps == [])
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aDeadlineThatHasPassedEndsTheSleepAtOnce(duration: Duration) async throws {
        try await clock.sleep(until: clock.now.advanced(by: duration))
    }

    @Test func theyWakeByDeadlineThenInTheOrderInWhichTheyFellAsleep() async throws {
        let clock = clock
        let dormitory = Dormitory()

        try await withThrowingTaskGroup { group in
            for (index, (name, seconds)) in [("c", 3), ("a", 1), ("b1", 2), ("b2", 2)].enumerated() {
                group.addTask { try await dormitory.sleep(name, for: .seconds(seconds), on: clock) }
                await clock.sleepers(index + 1)
            }
            #expect(clock.remainingSleeps == [.seconds(1), .seconds(2), .seconds(2), .seconds(3)])
            clock.advance(by: .seconds(2))
            for _ in 1...3 { try await group.next() }
            #expect(await dormitory.woken == ["a", "b1", "b2"])
            clock.advance(by: .seconds(1))
            try await group.waitForAll()
        }

        #expect(await dormitory.woken == ["a", "b1", "b2", "c"])
    }

    @Test func cancellingASleeperEndsItsSleepAndNoOther() async throws {
        let clock = clock
        let cancelled = Task { try await clock.sleep(for: .seconds(1)) }
        let other = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(2)

        cancelled.cancel()

        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.remainingSleeps == [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await other.value
    }

    @Test func whoIsCancelledDoesNotFallAsleep() async throws {
        let clock = clock
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await clock.sleep(for: .zero)
        }

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func waitingForSleepersEndsWhenItIsCancelled() async {
        let clock = clock
        let watching = Task { await clock.sleepers(1) }

        watching.cancel()

        await watching.value
    }

    @Test func waitingForNoSleepersReturnsAtOnce() async {
        await clock.sleepers(0)
    }

    /// Each sleep ends once, woken or cancelled: a continuation resumed twice traps, one forgotten hangs.
    @Test func wakingAndCancellingAtTheSameMomentEndsEachSleepOnce() async {
        let clock = clock
        for _ in 0..<300 {
            let task = Task { try await clock.sleep(for: .seconds(1)) }
            await clock.sleepers(1)
            await withTaskGroup { group in
                group.addTask { clock.advance(by: .seconds(1)) }
                group.addTask { task.cancel() }
            }
            _ = await task.result
            #expect(clock.remainingSleeps.isEmpty)
        }
    }

    /// As above, without waiting until the task sleeps.
    @Test func fallingAsleepAndCancellingAtTheSameMomentEndsTheSleep() async {
        let clock = clock
        for _ in 0..<300 {
            let task = Task { try await clock.sleep(for: .seconds(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}

/// Runs what is due in the order in which it became so.
private actor Dormitory {
    private(set) var woken: [String] = []

    func sleep(_ name: String, for duration: Duration, on clock: TestClock) async throws {
        try await clock.sleep(until: clock.now.advanced(by: duration))
        woken.append(name)
    }
}
