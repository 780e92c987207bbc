// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import Synchronization
import Testing

@testable import HeadraceTesting

@Suite(.timeLimit(.minutes(1))) struct TestClockTests {
    private let clock = TestClock()

    @Test func itStandsStillUntilItIsAdvanced() {
        let start = clock.now

        #expect(clock.now == start)
        clock.advance(by: .seconds(3))
        clock.advance(by: .zero)

        #expect(start.duration(to: clock.now) == .seconds(3))
    }

    @Test func theDateAdvancesWithTheClock() {
        let clock = TestClock(date: Date(timeIntervalSince1970: 1_000))

        clock.advance(by: .milliseconds(1_500))

        #expect(clock.date == Date(timeIntervalSince1970: 1_001.5))
    }

    @Test func aSleepEndsExactlyAtItsDeadline() async throws {
        let clock = clock
        let deadline = clock.now.advanced(by: .seconds(2))
        async let woken: Void = clock.sleep(until: deadline)

        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2) - clock.minimumResolution)
        #expect(clock.remainingSleeps == [clock.minimumResolution])
        clock.advance(by: clock.minimumResolution)
        try await woken

        #expect(clock.remainingSleeps == [])
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aSleepWithAPastDeadlineReturnsAtOnce(duration: Duration) async throws {
        try await clock.sleep(until: clock.now.advanced(by: duration))
    }

    /// All sleepers are on one actor.
    @Test func sleepersWakeByDeadlineThenInFIFOOrder() async throws {
        let clock = clock
        let dormitory = Dormitory()

        for _ in 0..<100 {
            try await withThrowingTaskGroup { group in
                for (index, (name, seconds)) in [("c", 3), ("a", 1), ("b1", 2), ("b2", 2)].enumerated() {
                    group.addTask { try await dormitory.sleep(name, for: .seconds(seconds), on: clock) }
                    await clock.waitForSleepers(index + 1)
                }
                #expect(clock.remainingSleeps == [.seconds(1), .seconds(2), .seconds(2), .seconds(3)])
                clock.advance(by: .seconds(2))
                for _ in 1...3 { try await group.next() }
                #expect(await dormitory.woken == ["a", "b1", "b2"])
                clock.advance(by: .seconds(1))
                try await group.waitForAll()
            }

            #expect(await dormitory.takeWoken() == ["a", "b1", "b2", "c"])
        }
    }

    /// There is no actor, and the code knows the clock as `any TimeSource`.
    @Test func onASerialTaskExecutorASleeperRunsUntilItSuspendsBeforeTheNextWakes() async throws {
        let clock = clock
        let executor = TestExecutor(seed: nil)
        let steps = TakenSteps()

        await withTaskGroup { group in
            for name in ["a", "b", "c", "d"] {
                let source: any TimeSource = clock
                group.addTask(executorPreference: executor) {
                    let asleep = source.now
                    try? await source.sleep(until: asleep.advanced(by: .seconds(1)), tolerance: nil)
                    steps.add(name + "1")
                    steps.add(name + "2")
                    try? await source.sleep(until: asleep.advanced(by: .seconds(2)), tolerance: nil)
                    steps.add(name + "3")
                }
                await executor.idle()
            }
            for _ in 1...2 {
                clock.advance(by: .seconds(1))
                await executor.idle()
            }
        }

        #expect(
            steps.all
                == ["a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "a3", "b3", "c3", "d3"]
        )
    }

    @Test func cancellationEndsOnlyTheSleepOfItsTask() async throws {
        let clock = clock
        let cancelled = Task { try await clock.sleep(for: .seconds(1)) }
        let other = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(2)

        cancelled.cancel()

        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.remainingSleeps == [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await other.value
    }

    @Test func aCancelledTaskDoesNotFallAsleep() async throws {
        let clock = clock
        let gate = Gate()
        let task = Task {
            await gate.pass()
            try await clock.sleep(for: .zero)
        }
        task.cancel()
        gate.open()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancellationEndsAWaitForSleepers() async {
        let clock = clock
        let watching = Task { await clock.waitForSleepers(1) }

        watching.cancel()

        await watching.value
    }

    @Test func waitingForZeroSleepersReturnsAtOnce() async {
        await clock.waitForSleepers(0)
    }

    /// Each sleep ends exactly once: a continuation that is resumed twice traps, and a lost continuation hangs.
    @Test func concurrentWakeUpAndCancellationEndTheSleepOnce() async {
        let clock = clock
        for _ in 0..<300 {
            let task = Task { try await clock.sleep(for: .seconds(1)) }
            await clock.waitForSleepers(1)
            await withTaskGroup { group in
                group.addTask { clock.advance(by: .seconds(1)) }
                group.addTask { task.cancel() }
            }
            _ = await task.result
            #expect(clock.remainingSleeps.isEmpty)
        }
    }

    /// The task may not sleep yet when it is cancelled.
    @Test func cancellationDuringTheStartOfASleepEndsIt() async {
        let clock = clock
        for _ in 0..<300 {
            let task = Task { try await clock.sleep(for: .seconds(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}

/// An actor whose tasks sleep, with a record of their wake-ups.
private actor Dormitory {
    private(set) var woken: [String] = []

    func sleep(_ name: String, for duration: Duration, on clock: TestClock) async throws {
        try await clock.sleep(until: clock.now.advanced(by: duration))
        woken.append(name)
    }

    /// Returns the names of the tasks that have woken, and forgets them.
    func takeWoken() -> [String] {
        defer { woken = [] }
        return woken
    }
}

/// The steps of several tasks in order.
private final class TakenSteps: Sendable {
    private let steps = Mutex<[String]>([])

    var all: [String] { steps.withLock(\.self) }

    func add(_ step: String) {
        steps.withLock { $0.append(step) }
    }
}
