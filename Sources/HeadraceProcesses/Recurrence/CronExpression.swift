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

/// The numbers that a field of a cron expression allows, each less than 64.
struct CronSet: Hashable, Sendable {
    private(set) var bits: UInt64 = 0

    var count: Int { bits.nonzeroBitCount }

    /// The numbers in ascending order.
    var values: [Int] { (0..<64).filter { contains($0) } }

    func contains(_ value: Int) -> Bool { bits >> UInt64(value) & 1 == 1 }

    /// Whether the set has a number from 1 to `limit`.
    func contains(upTo limit: Int) -> Bool { first(from: 1).map { $0 <= limit } ?? false }

    /// Returns the first number that is not less than `value`.
    func first(from value: Int) -> Int? {
        let rest = bits >> UInt64(value)
        return rest == 0 ? nil : value + rest.trailingZeroBitCount
    }

    mutating func insert(_ value: Int) { bits |= 1 << UInt64(value) }

    mutating func remove(_ value: Int) { bits &= ~(1 << UInt64(value)) }
}

/// A field of a cron expression: its range and its names.
struct CronField {
    let name: String
    let range: ClosedRange<Int>

    /// Names for the numbers from the start of the range on; empty if there are none.
    var names: [String] = []

    static let minute = CronField(name: "minute", range: 0...59)
    static let hour = CronField(name: "hour", range: 0...23)
    static let day = CronField(name: "day of the month", range: 1...31)
    static let month = CronField(
        name: "month",
        range: 1...12,
        names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
    )
    static let weekday = CronField(
        name: "day of the week",
        range: 0...7,
        names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
    )

    /// Reads `field`, which is part of `expression`.
    func read(_ field: String, in expression: String) throws -> CronSet {
        var set = CronSet()
        for item in field.split(separator: ",", omittingEmptySubsequences: false) {
            for value in try values(of: String(item), in: expression) { set.insert(value) }
        }
        // Both 0 and 7 are Sunday.
        if range.upperBound == 7, set.contains(7) {
            set.remove(7)
            set.insert(0)
        }
        return set
    }

    private func values(of item: String, in expression: String) throws -> [Int] {
        let parts = item.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let base = parts[0]
        let limits: ClosedRange<Int>
        if base == "*" {
            limits = range
        } else {
            let ends = base.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard ends.count <= 2, parts.count == 1 || ends.count == 2 else {
                throw RecurrenceError.invalidField(item, self, in: expression)
            }
            let first = try number(ends[0], of: item, in: expression)
            var last = try number(ends[ends.count - 1], of: item, in: expression)
            // A range can end on Sunday.
            if range.upperBound == 7, ends.count == 2, last == 0, first > 0 { last = 7 }
            guard first <= last else { throw RecurrenceError.invalidField(item, self, in: expression) }
            limits = first...last
        }
        guard parts.count <= 2 else { throw RecurrenceError.invalidField(item, self, in: expression) }
        let step = parts.count == 2 ? Self.digits(parts[1]) : 1
        guard let step, step > 0 else { throw RecurrenceError.invalidField(item, self, in: expression) }
        return Array(stride(from: limits.lowerBound, through: limits.upperBound, by: step))
    }

    private func number(_ text: String, of item: String, in expression: String) throws -> Int {
        if let index = names.firstIndex(of: text.uppercased()) { return range.lowerBound + index }
        guard let number = Self.digits(text) else { throw RecurrenceError.invalidField(item, self, in: expression) }
        guard range.contains(number) else { throw RecurrenceError.outOfRange(number, self, in: expression) }
        return number
    }

    /// Returns the number of up to four ASCII digits; a sign is not allowed.
    private static func digits(_ text: String) -> Int? {
        guard text.count <= 4, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}

/// The clock of a time zone, in full seconds.
///
/// A local second counts from 1970-01-01 00:00 on the local clock. An instant counts from 1970 in UTC.
struct LocalClock {
    let zone: TimeZone

    /// The instants, in seconds, for which times are computed: the years 1 to 9999.
    static let range: ClosedRange<Double> = -62_135_596_800...253_402_300_799

    private static let day = 86_400

    /// Seconds that the local clock is ahead of UTC at `instant`.
    func offset(at instant: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
    }

    /// The least and the greatest offset on `day` and near it; equal if the clock doesn't change.
    func offsets(near day: CivilDay) -> ClosedRange<Int> {
        // Zones are less than a day ahead of UTC or behind, so the instants of the day are between these.
        let offsets = (-1...2).map { offset(at: day.start + $0 * Self.day) }
        return (offsets.min() ?? 0)...(offsets.max() ?? 0)
    }

    /// Returns the instants of a local second in ascending order.
    ///
    /// If `isContinuous`, the result has one instant, none in a gap, and two in a repeated hour. Otherwise it has one: in a gap
    /// the first instant after it, in a repeated hour the first of both.
    func instants(ofLocal local: Int, isContinuous: Bool) -> [Int] {
        let (before, after) = (local - Self.day, local + Self.day)
        let (earlier, later) = (offset(at: before), offset(at: after))
        let found = Set([earlier, later]).map { local - $0 }.filter { $0 + offset(at: $0) == local }.sorted()
        if isContinuous { return found }
        return [found.first ?? firstChange(after: before, before: after)]
    }

    /// Returns the first instant in a range with another offset than its start.
    private func firstChange(after start: Int, before end: Int) -> Int {
        let old = offset(at: start)
        var (same, other) = (start, end)
        while other - same > 1 {
            let middle = same + (other - same) / 2
            if offset(at: middle) == old { same = middle } else { other = middle }
        }
        return other
    }
}

/// A day of the Gregorian calendar, without a time zone.
///
/// The conversions are those of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms":
/// <https://howardhinnant.github.io/date_algorithms.html>.
struct CivilDay {
    /// Number of days since 1970-01-01.
    let number: Int

    let year: Int

    /// Month, from 1 to 12.
    let month: Int

    /// Day of the month, from 1 to 31.
    let day: Int

    init(number: Int) {
        self.number = number
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates the day that contains a second of the local clock, counted from 1970-01-01 00:00 on that clock.
    init(containing second: Int) {
        self.init(number: (second >= 0 ? second : second - 86_399) / 86_400)
    }

    /// The first second on the local clock, counted from 1970-01-01 00:00 on that clock.
    var start: Int { number * 86_400 }

    /// Day of the week; 0 is Sunday.
    var weekday: Int { ((number + 4) % 7 + 7) % 7 }

    var firstOfNextMonth: CivilDay { advanced(by: Self.length(month, of: year) - day + 1) }

    func advanced(by days: Int) -> CivilDay { CivilDay(number: number + days) }

    /// Number of days in `month` of a leap year.
    static func longest(_ month: Int) -> Int { month == 2 ? 29 : [4, 6, 9, 11].contains(month) ? 30 : 31 }

    private static func length(_ month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 && !isLeap ? 28 : longest(month)
    }
}
