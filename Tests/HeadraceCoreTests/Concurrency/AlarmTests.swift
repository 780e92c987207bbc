// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Synchronization
import Testing

@testable import HeadraceCore

@Suite(.timeLimit(.minutes(2))) struct AlarmTests {
    private let clock = TestClock()
    private let alarm: Alarm
    private let made = ConditionVariable<[Int]>([])

    init() {
        alarm = Alarm(clock: clock)
    }

    @discardableResult
    private func set(_ number: Int, after duration: Duration) -> UInt64 {
        alarm.set(at: clock.now.advanced(by: duration)) { [made] in made.change { $0.append(number) } }
    }

    @Test func callsAreMadeAtTheirDeadlinesInOrder() async {
        set(3, after: .seconds(3))
        set(1, after: .seconds(1))
        set(2, after: .seconds(2))
        set(4, after: .seconds(3))
        await clock.waitForSleepers(2)

        clock.advance(by: .seconds(1))
        await made.wait { $0 == [1] }
        await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(999))
        #expect(made.value == [1])
        clock.advance(by: .milliseconds(1))
        await made.wait { $0 == [1, 2] }
        clock.advance(by: .seconds(5))
        await made.wait { $0 == [1, 2, 3, 4] }
    }

    @Test func aRemovedCallIsNotMade() async {
        let id = set(1, after: .seconds(1))
        set(2, after: .seconds(1))
        alarm.remove(id)
        alarm.remove(id)
        await clock.waitForSleepers(1)

        clock.advance(by: .seconds(1))

        await made.wait { !$0.isEmpty }
        #expect(made.value == [2])
    }

    @Test func manyTimeLimitsThatAreNotReachedShareASleep() async {
        for number in 0..<1_000 {
            alarm.remove(set(number, after: .seconds(60)))
            clock.advance(by: .milliseconds(10))
        }
        #expect(alarm.sleepCount == 1)
        let earlier = set(1, after: .seconds(1))
        #expect(alarm.sleepCount == 2)
        alarm.remove(earlier)
        set(2, after: .seconds(1))
        #expect(alarm.sleepCount == 2)
    }

    @Test func aCallThatIsSetByACallIsMade() async {
        let instant = clock.now.advanced(by: .seconds(1))
        _ = alarm.set(at: instant) { [alarm, made] in
            _ = alarm.set(at: instant.advanced(by: .seconds(1))) { made.change { $0.append(2) } }
            made.change { $0.append(1) }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await made.wait { $0 == [1] }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))

        await made.wait { $0 == [1, 2] }
    }

    @Test func aPastDeadlineIsCalledAtOnce() async {
        set(1, after: .seconds(-1))

        await made.wait { $0 == [1] }
    }

    @Test func concurrentCallsAreMadeOnceUnlessTheyAreRemoved() async {
        let alarm = Alarm(clock: ContinuousClock())
        let calls = ConditionVariable<[Int: Int]>([:])
        await withTaskGroup { group in
            for caller in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        let key = caller * 1_000 + number
                        let deadline = ContinuousClock.now.advanced(by: .microseconds(number * 37 % 2_000))
                        let id = alarm.set(at: deadline) { calls.change { $0[key, default: 0] += 1 } }
                        if number.isMultiple(of: 2) { alarm.remove(id) }
                    }
                }
            }
        }

        // Those with odd numbers were not removed.
        await calls.wait { made in made.keys.count { !$0.isMultiple(of: 2) } == 800 }
        #expect(calls.value.values.allSatisfy { $0 == 1 })
    }
}
