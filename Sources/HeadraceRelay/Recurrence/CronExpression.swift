// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A rule for recurring times, in the five fields of crontab.
///
/// ```swift
/// let nightly = try CronExpression("0 3 * * *")
/// let officeHours = try CronExpression("*/15 9-17 * * MON-FRI")
/// ```
///
/// The fields are the minute (0 to 59), the hour (0 to 23), the day of the month (1 to 31), the month (1 to 12 or `JAN` to
/// `DEC`), and the day of the week (0 to 7 or `SUN` to `SAT`; 0 and 7 are Sunday). A field is a list of numbers, ranges, and
/// `*`, and a range or `*` can have a step: `1,15`, `MON-FRI`, `*/5`, `0-30/10`. `@hourly`, `@daily`, `@midnight`, `@weekly`,
/// `@monthly`, `@yearly`, and `@annually` stand for five fields.
///
/// If neither day field begins with `*`, a day must match one of them. Otherwise it must match both. These rules are those of
/// crontab(5): <https://manpages.debian.org/bookworm/cron/crontab.5.en.html>.
///
/// **Daylight saving.** If the hour field doesn't cover all hours, the expression names times of the day. A time that the clock
/// skips becomes the first instant after the gap, and several such times become one. A time that occurs twice counts once, the
/// first time. If the hour field covers all hours, the expression follows elapsed time: a skipped hour has no times, and a
/// repeated hour has its times twice. cron(8) makes a similar distinction.
public struct CronExpression: Hashable, Sendable {
    /// The fields, separated by single spaces.
    public let text: String

    private let minutes: CronSet
    private let hours: CronSet
    private let days: CronSet
    private let months: CronSet
    private let weekdays: CronSet

    /// Whether a day must match one of the two day fields, and not both.
    private let needsOneDayField: Bool

    /// Reads an expression.
    ///
    /// - Throws: ``RecurrenceError`` with the code `wrongFieldCount`, `invalidField`, `outOfRange`, or `neverDue` if no date
    ///   matches, such as February 30.
    public init(_ text: String) throws {
        let given = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let fields = (given.count == 1 ? Self.shorthands[given[0].lowercased()] : nil) ?? given
        guard fields.count == 5 else { throw RecurrenceError.wrongFieldCount(text, count: fields.count) }
        self.text = given.joined(separator: " ")
        minutes = try CronField.minute.read(fields[0], in: text)
        hours = try CronField.hour.read(fields[1], in: text)
        days = try CronField.day.read(fields[2], in: text)
        months = try CronField.month.read(fields[3], in: text)
        weekdays = try CronField.weekday.read(fields[4], in: text)
        needsOneDayField = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
        if !needsOneDayField, !months.values.contains(where: { month in days.contains(upTo: CivilDay.longest(month)) })
        {
            throw RecurrenceError.neverDue(text)
        }
    }

    /// Returns the first time after `date` in `zone`; `nil` if it would be later than the year 9999.
    ///
    /// - Complexity: O(*n*) for the *n* days until the next time; days in other months don't count.
    public func next(after date: Date, in zone: TimeZone) -> Date? {
        let clock = LocalClock(zone: zone)
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds >= LocalClock.range.lowerBound, seconds <= LocalClock.range.upperBound else { return nil }
        let after = Int(seconds)
        // A clock that is set back over midnight repeats the end of a day, so the day before counts too.
        var day = CivilDay(containing: after + clock.offset(at: after)).advanced(by: -1)
        while day.start <= Int(LocalClock.range.upperBound) {
            if !months.contains(day.month) {
                day = day.firstOfNextMonth
                continue
            }
            if matches(day), let time = firstTime(on: day, after: after, by: clock) {
                let next = day.advanced(by: 1)
                let rival =
                    months.contains(next.month) && matches(next) ? firstTime(on: next, after: after, by: clock) : nil
                return Date(timeIntervalSince1970: Double(min(time, rival ?? time)))
            }
            day = day.advanced(by: 1)
        }
        return nil
    }

    private func matches(_ day: CivilDay) -> Bool {
        let (isDay, isWeekday) = (days.contains(day.day), weekdays.contains(day.weekday))
        return needsOneDayField ? isDay || isWeekday : isDay && isWeekday
    }

    /// Whether the times follow elapsed time, and are not times of the day.
    private var isContinuous: Bool { hours.count == 24 }

    /// Returns the first time of `day` after the second `after`, in seconds since 1970.
    private func firstTime(on day: CivilDay, after: Int, by clock: LocalClock) -> Int? {
        let offsets = clock.offsets(near: day)
        if offsets.count > 1 { return firstTime(on: day, after: after, by: clock, offsets) }
        let offset = offsets.lowerBound
        let earliest = (max(0, after + offset + 1 - day.start) + 59) / 60
        for hour in hours.values where hour >= earliest / 60 {
            if let minute = minutes.first(from: hour == earliest / 60 ? earliest % 60 : 0) {
                return day.start + hour * 3_600 + minute * 60 - offset
            }
        }
        return nil
    }

    /// Does the same for a day near a change of the clock.
    private func firstTime(on day: CivilDay, after: Int, by clock: LocalClock, _ offsets: ClosedRange<Int>) -> Int? {
        var first: Int?
        // All instants of a local time are within the bounds of `offsets`, also the end of a gap.
        for hour in hours.values where day.start + (hour + 1) * 3_600 - offsets.lowerBound > after {
            for minute in minutes.values {
                let local = day.start + hour * 3_600 + minute * 60
                if let first, local - offsets.upperBound >= first { return first }
                for time in clock.instants(ofLocal: local, isContinuous: isContinuous) where time > after {
                    first = min(time, first ?? time)
                }
            }
        }
        return first
    }

    private static let shorthands: [String: [String]] = [
        "@hourly": ["0", "*", "*", "*", "*"],
        "@daily": ["0", "0", "*", "*", "*"],
        "@midnight": ["0", "0", "*", "*", "*"],
        "@weekly": ["0", "0", "*", "*", "0"],
        "@monthly": ["0", "0", "1", "*", "*"],
        "@yearly": ["0", "0", "1", "1", "*"],
        "@annually": ["0", "0", "1", "1", "*"],
    ]
}

extension CronExpression: CustomStringConvertible {
    /// The ``text``.
    public var description: String { text }
}
