// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceCore
import IssueReporting
import Synchronization

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
