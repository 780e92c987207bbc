// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceTesting
import Testing

@testable import HeadraceProcesses

/// The table was computed by another program, which lists all times of each day with the time zones of Python.
@Suite(.timeLimit(.minutes(1))) struct CronExpressionTests {
    private static let table: [(text: String, zone: String, after: String, times: String)] = [
        ("* * * * *", "UTC", "2024-01-01T00:00:59Z", "2024-01-01T00:01:00Z 2024-01-01T00:02:00Z 2024-01-01T00:03:00Z"),
        (
            "*/15 * * * *", "Europe/Berlin", "2024-12-31T22:50:00Z",
            "2024-12-31T23:00:00Z 2024-12-31T23:15:00Z 2024-12-31T23:30:00Z"
        ),
        (
            "0 3 * * *", "Europe/Berlin", "2024-06-01T00:00:00Z",
            "2024-06-01T01:00:00Z 2024-06-02T01:00:00Z 2024-06-03T01:00:00Z"
        ),
        ("0 0 29 2 *", "UTC", "2023-01-01T00:00:00Z", "2024-02-29T00:00:00Z 2028-02-29T00:00:00Z 2032-02-29T00:00:00Z"),
        ("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z 2108-02-29T00:00:00Z 2112-02-29T00:00:00Z"),
        ("0 0 31 * *", "UTC", "2024-01-31T00:00:00Z", "2024-03-31T00:00:00Z 2024-05-31T00:00:00Z 2024-07-31T00:00:00Z"),
        (
            "0 0 30,31 * *", "UTC", "2023-01-31T00:00:00Z",
            "2023-03-30T00:00:00Z 2023-03-31T00:00:00Z 2023-04-30T00:00:00Z"
        ),
        (
            "30 6 * * MON-FRI", "America/New_York", "2024-05-03T12:00:00Z",
            "2024-05-06T10:30:00Z 2024-05-07T10:30:00Z 2024-05-08T10:30:00Z"
        ),
        (
            "0 12 * * sat-sun", "UTC", "2024-05-03T12:00:00Z",
            "2024-05-04T12:00:00Z 2024-05-05T12:00:00Z 2024-05-11T12:00:00Z"
        ),
        (
            "0 12 * * 5-7", "UTC", "2024-05-03T12:00:00Z",
            "2024-05-04T12:00:00Z 2024-05-05T12:00:00Z 2024-05-10T12:00:00Z"
        ),
        ("0 12 * * 0", "UTC", "2024-05-03T12:00:00Z", "2024-05-05T12:00:00Z 2024-05-12T12:00:00Z 2024-05-19T12:00:00Z"),
        ("0 12 * * 7", "UTC", "2024-05-03T12:00:00Z", "2024-05-05T12:00:00Z 2024-05-12T12:00:00Z 2024-05-19T12:00:00Z"),
        (
            "0 0 13 * FRI", "UTC", "2024-09-01T00:00:00Z",
            "2024-09-06T00:00:00Z 2024-09-13T00:00:00Z 2024-09-20T00:00:00Z"
        ),
        (
            "0 0 */10 * FRI", "UTC", "2024-09-01T00:00:00Z",
            "2024-10-11T00:00:00Z 2024-11-01T00:00:00Z 2025-01-31T00:00:00Z"
        ),
        (
            "0 0 1 JAN,JUL *", "UTC", "2024-01-01T00:00:00Z",
            "2024-07-01T00:00:00Z 2025-01-01T00:00:00Z 2025-07-01T00:00:00Z"
        ),
        (
            "5-20/5 22 * * *", "UTC", "2024-02-28T22:06:00Z",
            "2024-02-28T22:10:00Z 2024-02-28T22:15:00Z 2024-02-28T22:20:00Z"
        ),
        (
            "@yearly", "Pacific/Auckland", "2024-06-01T00:00:00Z",
            "2024-12-31T11:00:00Z 2025-12-31T11:00:00Z 2026-12-31T11:00:00Z"
        ),
        (
            "0 9 1-7 * MON", "UTC", "2024-01-08T09:00:00Z",
            "2024-01-15T09:00:00Z 2024-01-22T09:00:00Z 2024-01-29T09:00:00Z"
        ),
        (
            "30 2 * * *", "Europe/Berlin", "2024-03-30T00:00:00Z",
            "2024-03-30T01:30:00Z 2024-03-31T01:00:00Z 2024-04-01T00:30:00Z"
        ),
        (
            "0,30 2 * * *", "Europe/Berlin", "2024-03-30T12:00:00Z",
            "2024-03-31T01:00:00Z 2024-04-01T00:00:00Z 2024-04-01T00:30:00Z"
        ),
        (
            "0 2,3 * * *", "Europe/Berlin", "2024-03-30T12:00:00Z",
            "2024-03-31T01:00:00Z 2024-04-01T00:00:00Z 2024-04-01T01:00:00Z"
        ),
        (
            "*/30 * * * *", "Europe/Berlin", "2024-03-31T00:00:00Z",
            "2024-03-31T00:30:00Z 2024-03-31T01:00:00Z 2024-03-31T01:30:00Z"
        ),
        (
            "0 */2 * * *", "Europe/Berlin", "2024-03-30T22:00:00Z",
            "2024-03-30T23:00:00Z 2024-03-31T01:00:00Z 2024-03-31T02:00:00Z"
        ),
        (
            "30 2 * * *", "Europe/Berlin", "2024-10-26T00:00:00Z",
            "2024-10-26T00:30:00Z 2024-10-27T00:30:00Z 2024-10-28T01:30:00Z"
        ),
        (
            "30 2 * * *", "Europe/Berlin", "2024-10-27T00:30:00Z",
            "2024-10-28T01:30:00Z 2024-10-29T01:30:00Z 2024-10-30T01:30:00Z"
        ),
        (
            "*/30 * * * *", "Europe/Berlin", "2024-10-26T23:45:00Z",
            "2024-10-27T00:00:00Z 2024-10-27T00:30:00Z 2024-10-27T01:00:00Z"
        ),
        (
            "0 */2 * * *", "Europe/Berlin", "2024-10-26T21:00:00Z",
            "2024-10-26T22:00:00Z 2024-10-27T00:00:00Z 2024-10-27T03:00:00Z"
        ),
        (
            "30 1 * * *", "America/New_York", "2024-11-02T12:00:00Z",
            "2024-11-03T05:30:00Z 2024-11-04T06:30:00Z 2024-11-05T06:30:00Z"
        ),
        (
            "@hourly", "America/New_York", "2024-11-03T04:30:00Z",
            "2024-11-03T05:00:00Z 2024-11-03T06:00:00Z 2024-11-03T07:00:00Z"
        ),
        (
            "30 2 * * SUN", "America/New_York", "2024-03-03T12:00:00Z",
            "2024-03-10T07:00:00Z 2024-03-17T06:30:00Z 2024-03-24T06:30:00Z"
        ),
        (
            "45 1 * * *", "Australia/Lord_Howe", "2024-04-05T20:00:00Z",
            "2024-04-06T14:45:00Z 2024-04-07T15:15:00Z 2024-04-08T15:15:00Z"
        ),
        (
            "15 2 * * *", "Australia/Lord_Howe", "2024-10-04T20:00:00Z",
            "2024-10-05T15:30:00Z 2024-10-06T15:15:00Z 2024-10-07T15:15:00Z"
        ),
        (
            "@daily", "Africa/Cairo", "2024-04-24T00:00:00Z",
            "2024-04-24T22:00:00Z 2024-04-25T22:00:00Z 2024-04-26T21:00:00Z"
        ),
        (
            "30 23 * * *", "America/Santiago", "2024-04-05T12:00:00Z",
            "2024-04-06T02:30:00Z 2024-04-07T02:30:00Z 2024-04-08T03:30:00Z"
        ),
        (
            "0 * * * *", "America/Santiago", "2024-04-07T01:30:00Z",
            "2024-04-07T02:00:00Z 2024-04-07T03:00:00Z 2024-04-07T04:00:00Z"
        ),
        (
            "15 0 * * *", "America/Santiago", "2024-09-06T12:00:00Z",
            "2024-09-07T04:15:00Z 2024-09-08T04:00:00Z 2024-09-09T03:15:00Z"
        ),
        // The clock was set back from 00:01 to 23:01, so it showed the beginning of a day before the end of the day before.
        (
            "*/30 * * * *", "America/St_Johns", "2010-11-07T02:15:00Z",
            "2010-11-07T02:30:00Z 2010-11-07T03:00:00Z 2010-11-07T03:30:00Z"
        ),
        (
            "30 23 * * *", "America/St_Johns", "2010-11-06T12:00:00Z",
            "2010-11-07T02:00:00Z 2010-11-08T03:00:00Z 2010-11-09T03:00:00Z"
        ),
        (
            "0 0,23 * * *", "America/St_Johns", "2010-11-07T00:00:00Z",
            "2010-11-07T01:30:00Z 2010-11-07T02:30:00Z 2010-11-08T02:30:00Z"
        ),
        (
            "0 12 * * *", "Pacific/Apia", "2011-12-28T12:00:00Z",
            "2011-12-28T22:00:00Z 2011-12-29T22:00:00Z 2011-12-30T10:00:00Z"
        ),
        (
            "0 0 30 12 *", "Pacific/Apia", "2011-12-01T00:00:00Z",
            "2011-12-30T10:00:00Z 2012-12-29T10:00:00Z 2013-12-29T10:00:00Z"
        ),
        (
            "0 0 * * *", "Asia/Kathmandu", "2024-01-01T00:00:00Z",
            "2024-01-01T18:15:00Z 2024-01-02T18:15:00Z 2024-01-03T18:15:00Z"
        ),
        ("@midnight", "UTC", "1969-12-30T23:59:59Z", "1969-12-31T00:00:00Z 1970-01-01T00:00:00Z 1970-01-02T00:00:00Z"),
    ]

    @Test(arguments: table)
    func theTimesAreThoseOfTheTable(row: (text: String, zone: String, after: String, times: String)) throws {
        let recurrence = try Recurrence.cron(row.text, in: try #require(TimeZone(identifier: row.zone)))

        let times = recurrence.times(after: try date(row.after), count: 3)

        #expect(times.map { $0.formatted(.iso8601) }.joined(separator: " ") == row.times)
    }

    @Test func aFractionOfASecondIsAfterTheTime() throws {
        let recurrence = try Recurrence.cron("* * * * *", in: .gmt)

        #expect(recurrence.next(after: Date(timeIntervalSince1970: 59.999)) == Date(timeIntervalSince1970: 60))
        #expect(recurrence.next(after: Date(timeIntervalSince1970: 60)) == Date(timeIntervalSince1970: 120))
        #expect(recurrence.next(after: Date(timeIntervalSince1970: 60.001)) == Date(timeIntervalSince1970: 120))
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, 253_402_300_799])
    func aDateOutsideOfTheCalendarHasNoNextTime(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)

        #expect(try Recurrence.cron("* * * * *", in: .gmt).next(after: date) == nil)
        #expect(try Recurrence.every(.seconds(60)).next(after: date) == nil)
    }

    @Test(arguments: [
        ("", RecurrenceError.Code.wrongFieldCount), ("* * * *", .wrongFieldCount), ("0 * * * * *", .wrongFieldCount),
        ("@often", .wrongFieldCount), ("60 * * * *", .outOfRange), ("* 24 * * *", .outOfRange),
        ("* * 0 * *", .outOfRange),
        ("* * 32 * *", .outOfRange), ("* * * 13 *", .outOfRange), ("* * * * 8", .outOfRange),
        ("*/0 * * * *", .invalidField),
        ("*/ * * * *", .invalidField), ("5/15 * * * *", .invalidField), ("20-10 * * * *", .invalidField),
        ("1-2-3 * * * *", .invalidField), ("1, * * * *", .invalidField), ("-1 * * * *", .invalidField),
        ("+1 * * * *", .invalidField), ("x * * * *", .invalidField), ("** * * * *", .invalidField),
        ("*/2/2 * * * *", .invalidField), ("99999 * * * *", .invalidField), ("MON * * * *", .invalidField),
        ("* * * FEB-JAN *", .invalidField), ("٣ * * * *", .invalidField), ("0 0 30 2 *", .neverDue),
        ("0 0 31 APR,JUN *", .neverDue), ("0 0 31 4 */2", .neverDue),
    ])
    func aWrongExpressionIsRefusedWithItsCause(text: String, code: RecurrenceError.Code) {
        let error = #expect(throws: RecurrenceError.self) { try CronExpression(text) }

        #expect(error?.code == code)
        #expect(error?.message.contains("'\(text)'") == true)
        #expect(error?.message.contains("To fix, ") == true || code == .neverDue)
    }

    @Test func anImpossibleDayIsAllowedIfAWeekdayMatchesToo() throws {
        let recurrence = try Recurrence.cron("0 0 31 4 MON", in: .gmt)

        #expect(
            recurrence.times(after: try date("2024-03-31T00:00:00Z"), count: 1) == [try date("2024-04-01T00:00:00Z")])
    }

    /// Compares with a scan that reads the clock of the zone minute by minute, and counts each local minute when the clock shows or
    /// skips it for the first time.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func theTimesNearAChangeOfTheClockAreThoseOfAScan(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let zone = try #require(TimeZone(identifier: Self.zones[Int(seed) % Self.zones.count]))
        let minute = try #require(Self.minutes.randomElement(using: &generator))
        let hour = try #require(Self.hours.randomElement(using: &generator))
        let start = try startBeforeAChange(in: zone, using: &generator)
        let end = start + 2 * 86_400
        var expected: [Int] = []
        var shown = start - 60 + offset(of: zone, at: start - 60)
        for instant in stride(from: start, to: end, by: 60) {
            let local = instant + offset(of: zone, at: instant)
            let isDue =
                hour.values.count == 24
                ? minute.values.contains(local / 60 % 60)
                : stride(from: shown + 60, through: local, by: 60).contains { local in
                    minute.values.contains(local / 60 % 60) && hour.values.contains(local / 3_600 % 24)
                }
            if isDue { expected.append(instant) }
            shown = max(shown, local)
        }

        let rule = try Recurrence.cron("\(minute.text) \(hour.text) * * *", in: zone)
        let before = Date(timeIntervalSince1970: Double(start) - 0.001)
        let times = rule.times(after: before, count: expected.count + 1).map { Int($0.timeIntervalSince1970) }

        #expect(times.filter { $0 < end } == expected, "seed \(seed): \(rule) from \(before)")
    }

    private static let zones = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Africa/Cairo",
        "Asia/Kathmandu",
        "Africa/Casablanca", "America/Havana", "Asia/Beirut", "Pacific/Auckland",
    ]

    private static let minutes: [(text: String, values: Set<Int>)] = [
        ("0", [0]), ("30", [30]), ("*/15", [0, 15, 30, 45]), ("7,59", [7, 59]), ("*", Set(0...59)),
        ("10-30/10", [10, 20, 30]),
    ]

    private static let hours: [(text: String, values: Set<Int>)] = [
        ("*", Set(0...23)), ("0-23", Set(0...23)), ("0", [0]), ("1", [1]), ("2", [2]), ("2,3", [2, 3]), ("3", [3]),
        ("*/2", Set(stride(from: 0, to: 24, by: 2))), ("23", [23]), ("0-5", Set(0...5)), ("22,0", [0, 22]),
    ]

    private func offset(of zone: TimeZone, at instant: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
    }

    /// Returns a full minute about a day before the clock of the zone changes, if it changes within 400 days.
    private func startBeforeAChange(in zone: TimeZone, using generator: inout SeededGenerator) throws -> Int {
        let day = 86_400
        let first = Int.random(in: 946_684_800..<1_893_456_000, using: &generator) / day * day
        let change = (0..<400).lazy.map { first + $0 * day }.first { instant in
            self.offset(of: zone, at: instant) != self.offset(of: zone, at: instant + day)
        }
        return (change ?? first) - 24 * 3_600 - 60 * Int.random(in: 0..<360, using: &generator)
    }

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
}
