// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceTesting
import Testing

@Suite struct SystemValuesTests {
    @Test func theValuesOfARunningProgramAreThoseOfTheSystem() {
        let before = Date()
        let date = SystemValues.current.date()

        #expect(before <= date && date <= Date())
        #expect(SystemValues.current.clock is ContinuousClock)
        #expect(SystemValues.current.uuid() != SystemValues.current.uuid())
    }

    @Test func oneClockMovesTheDateTheUUIDsAndTheCurrentClock() {
        let clock = TestClock()
        SystemValues.withCurrent(.test(clock: clock)) {
            let (id, instant) = (UUID.version7(), CurrentClock().now)
            clock.advance(by: .seconds(900))

            #expect(SystemValues.current.date() == Date(timeIntervalSinceReferenceDate: 900))
            #expect(instant.duration(to: CurrentClock().now) == .seconds(900))
            #expect(milliseconds(of: UUID.version7()) - milliseconds(of: id) == 900_000)
            #expect(milliseconds(of: id) == 978_307_200_000)
        }
    }

    @Test func uuidsAndRandomNumbersAreTheSameInEachRun() {
        func run(seed: UInt64) -> [String] {
            SystemValues.withCurrent(.test(seed: seed)) {
                var generator = SystemValues.current.randomNumbers
                let ids = (0..<20).map { _ in UUID.version7().uuidString }
                return ids + (0..<20).map { _ in "\(Int.random(in: 1...1_000_000, using: &generator))" }
            }
        }

        #expect(run(seed: 1) == run(seed: 1))
        #expect(Set(run(seed: 1)).isDisjoint(with: run(seed: 2)))
    }

    @Test func uuidsOfATestAscend() {
        SystemValues.withCurrent(.test()) {
            let ids = (0..<10_000).map { _ in UUID.version7().uuidString }

            #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func theCalendarAndTheLocaleOfATestDoNotDependOnTheMachine() {
        let values = SystemValues.test()

        #expect(values.calendar.timeZone == .gmt)
        #expect(values.calendar.identifier == .gregorian)
        #expect(values.locale.identifier == "en_US_POSIX")
        #expect(values.calendar.component(.hour, from: values.date()) == 0)
    }

    @Test func theValuesReachChildTasksAndEndWithTheScope() async throws {
        let fixed = UUID()
        let ids = try await SystemValues.withCurrent(SystemValues(uuid: { fixed })) {
            await withTaskGroup(of: UUID.self) { group in
                for _ in 0..<3 { group.addTask { .version7() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }

        #expect(ids == [fixed, fixed, fixed])
        #expect(UUID.version7() != fixed)
    }

    private func milliseconds(of id: UUID) -> Int {
        Int(id.uuidString.replacing("-", with: "").prefix(12), radix: 16) ?? 0
    }
}
