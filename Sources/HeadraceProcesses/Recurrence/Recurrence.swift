// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
import HeadraceStorage

/// A rule for recurring times: a cron expression in a time zone, or an interval.
///
/// ```swift
/// let nightly = try Recurrence.cron("0 3 * * *", in: berlin)
/// let eachQuarterOfAnHour = try Recurrence.every(.seconds(15 * 60))
/// ```
public struct Recurrence: Hashable, Sendable {
    private enum Rule: Hashable {
        case cron(CronExpression, zone: String)
        case interval(milliseconds: Int64, start: Int64)
    }

    private let rule: Rule

    /// The time zone of a cron expression.
    ///
    /// Two rules are equal if their zones have one identifier.
    private let zone: TimeZone

    /// Returns the times of a cron expression in `zone`; see ``CronExpression`` for its fields and for daylight saving.
    ///
    /// - Throws: ``RecurrenceError``.
    public static func cron(_ expression: String, in zone: TimeZone) throws -> Recurrence {
        Recurrence(rule: .cron(try CronExpression(expression), zone: zone.identifier), zone: zone)
    }

    /// Returns `start` and the times that follow it after each `interval`, as elapsed time.
    ///
    /// Without a start, the times count from 1970 in UTC, so all processes agree: every 15 minutes is at each full quarter of an
    /// hour. Daylight saving has no effect. A day in local time is a cron expression.
    ///
    /// - Parameters:
    ///   - interval: The interval, to the millisecond; from 1 second to 100 years.
    ///   - start: The first time.
    /// - Returns: The rule.
    /// - Throws: ``RecurrenceError`` with the code `invalidInterval`.
    public static func every(
        _ interval: Duration,
        from start: Date = Date(timeIntervalSince1970: 0)
    ) throws -> Recurrence {
        let isDate = LocalClock.range.contains(start.timeIntervalSince1970)
        guard isDate, interval >= .seconds(1), interval <= .seconds(3_155_760_000) else {
            throw RecurrenceError.invalidInterval(interval)
        }
        let milliseconds = Int64((interval / .milliseconds(1)).rounded())
        return Recurrence(rule: .interval(milliseconds: milliseconds, start: start.milliseconds), zone: .gmt)
    }

    private init(rule: Rule, zone: TimeZone) {
        self.rule = rule
        self.zone = zone
    }

    /// Returns the first time after `date`; `nil` if it would be later than the year 9999.
    public func next(after date: Date) -> Date? {
        switch rule {
        case .cron(let expression, _):
            return expression.next(after: date, in: zone)
        case .interval(let interval, let start):
            guard LocalClock.range.contains(date.timeIntervalSince1970) else { return nil }
            // The last millisecond that isn't later than `date`. A `Date` isn't exact to the millisecond, so rounding down could
            // return the millisecond before `date`, and a time would follow itself.
            var now = date.milliseconds
            if Date(milliseconds: now) > date { now -= 1 }
            if now < start { return Date(milliseconds: start) }
            let next = start + ((now - start) / interval + 1) * interval
            return Double(next) / 1_000 <= LocalClock.range.upperBound ? Date(milliseconds: next) : nil
        }
    }

    /// Returns the first `count` times after `date`, in order.
    public func times(after date: Date, count: Int) -> [Date] {
        var times: [Date] = []
        while times.count < count, let next = next(after: times.last ?? date) { times.append(next) }
        return times
    }

    /// Returns the last time that isn't later than `now`.
    ///
    /// - Parameters:
    ///   - time: A time of the rule that isn't later than `now`.
    ///   - now: The end of the range.
    /// - Returns: The last time, which may be `time`.
    /// - Complexity: O(log *n*) calls of ``next(after:)`` for *n* milliseconds between both.
    func last(from time: Date, through now: Date) -> Date {
        func followsInRange(_ milliseconds: Int64) -> Date? {
            next(after: Date(milliseconds: milliseconds)).flatMap { $0 <= now ? $0 : nil }
        }
        var (low, high) = (time.milliseconds, now.milliseconds + 1)
        guard var last = followsInRange(low) else { return time }
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if let following = followsInRange(middle) {
                (low, last) = (middle, following)
            } else {
                high = middle
            }
        }
        return last
    }
}

extension Recurrence {
    /// Whether both rules are the same, with the same identifier of their time zones.
    public static func == (one: Recurrence, other: Recurrence) -> Bool { one.rule == other.rule }

    /// Hashes the rule.
    public func hash(into hasher: inout Hasher) { hasher.combine(rule) }
}

extension Recurrence: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch rule {
        case .cron(let expression, let zone): "'\(expression)' in \(zone)"
        case .interval(let interval, let start):
            start == 0
                ? "every \(Duration.milliseconds(interval))"
                : "every \(Duration.milliseconds(interval)) from \(Date(milliseconds: start).formatted(.iso8601))"
        }
    }
}

extension Recurrence: Codable {
    private enum Key: String, CodingKey { case cron, timeZone, interval, start }

    /// Decodes the rule.
    ///
    /// - Throws: ``RecurrenceError`` if the rule is invalid; `DecodingError`, also if this machine doesn't know the time zone.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let interval = try container.decodeIfPresent(Int64.self, forKey: .interval) {
            let start = Date(milliseconds: try container.decode(Int64.self, forKey: .start))
            self = try .every(.milliseconds(interval), from: start)
            return
        }
        let identifier = try container.decode(String.self, forKey: .timeZone)
        guard let zone = TimeZone(identifier: identifier) else {
            throw DecodingError.dataCorruptedError(
                forKey: .timeZone,
                in: container,
                debugDescription:
                    "This machine doesn't know the time zone '\(identifier)'. To fix, install its time zones."
            )
        }
        rule = .cron(try CronExpression(try container.decode(String.self, forKey: .cron)), zone: identifier)
        self.zone = zone
    }

    /// Encodes the expression and the identifier of its time zone, or the interval and its start in milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch rule {
        case .cron(let expression, let zone):
            try container.encode(expression.text, forKey: .cron)
            try container.encode(zone, forKey: .timeZone)
        case .interval(let interval, let start):
            try container.encode(interval, forKey: .interval)
            try container.encode(start, forKey: .start)
        }
    }
}

/// The times at which a schedule still fires if no relay was running when they were due.
public struct CatchUp: Hashable, Sendable, Codable {
    private enum Choice: String, Codable { case all, last, recent }

    private let choice: Choice

    /// Milliseconds that a firing may be late.
    private let limit: Int64?

    /// All missed times, in order.
    public static let all = CatchUp(choice: .all, limit: nil)

    /// The last missed time, however late it is; the default.
    public static let last = CatchUp(choice: .last, limit: nil)

    /// No missed time: the schedule fires only if it is at most one minute late, the same as `recent(.seconds(60))`.
    public static let none = recent(.seconds(60))

    /// The last missed time, if it is at most `limit` late.
    ///
    /// A firing is always a little late, so the limit should be longer than the poll interval of the relay.
    public static func recent(_ limit: Duration) -> CatchUp {
        CatchUp(choice: .recent, limit: max(0, Int64(min(limit / .milliseconds(1), 0x1p53))))
    }

    /// Returns the time to fire for, if any, and the time that is due next.
    ///
    /// - Parameters:
    ///   - due: The earliest time that hasn't fired; not later than `now`.
    ///   - now: The current time.
    ///   - recurrence: The times of the schedule.
    /// - Returns: Both times; `nil` if there is none.
    func decision(due: Date, now: Date, _ recurrence: Recurrence) -> (fires: Date?, next: Date?) {
        if choice == .all { return (due, recurrence.next(after: due)) }
        let last = recurrence.last(from: due, through: now)
        let isTooLate = limit.map { now.milliseconds - last.milliseconds > $0 } ?? false
        return (isTooLate ? nil : last, recurrence.next(after: last))
    }
}

/// An error in a cron expression, or in the interval of a ``Recurrence``.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct RecurrenceError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<RecurrenceError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String
}

extension RecurrenceError {
    static func wrongFieldCount(_ text: String, count: Int) -> RecurrenceError {
        RecurrenceError(
            code: .wrongFieldCount,
            message: """
                The cron expression '\(text)' has \(count) fields. To fix, write the minute, the hour, the day of the month, \
                the month, and the day of the week, as in '0 3 * * *', or a name such as '@daily'.
                """
        )
    }

    static func invalidField(_ item: String, _ field: CronField, in text: String) -> RecurrenceError {
        RecurrenceError(
            code: .invalidField,
            message: """
                In the cron expression '\(text)', '\(item)' is no valid \(field.name). To fix, write a number, a range such as \
                '\(field.range.lowerBound)-\(field.range.upperBound)' in ascending order, '*', or a range or '*' with a step \
                such as '*/2'.
                """
        )
    }

    static func outOfRange(_ number: Int, _ field: CronField, in text: String) -> RecurrenceError {
        RecurrenceError(
            code: .outOfRange,
            message: """
                In the cron expression '\(text)', the \(field.name) \(number) is out of range. To fix, write a number from \
                \(field.range.lowerBound) to \(field.range.upperBound).
                """
        )
    }

    static func neverDue(_ text: String) -> RecurrenceError {
        RecurrenceError(
            code: .neverDue,
            message: """
                No date matches the cron expression '\(text)'. To fix, name a day that occurs in one of its months.
                """
        )
    }

    static func invalidInterval(_ interval: Duration) -> RecurrenceError {
        RecurrenceError(
            code: .invalidInterval,
            message: """
                Something can't recur every \(interval) from that start. To fix, pass an interval from 1 second to 100 years, \
                and a start between the years 1 and 9999.
                """
        )
    }
}

extension ErrorCode<RecurrenceError> {
    /// The expression doesn't have five fields.
    public static var wrongFieldCount: Self { Self() }

    /// A field is no list of numbers, names, ranges, and steps.
    public static var invalidField: Self { Self() }

    /// A number is outside of the range of its field.
    public static var outOfRange: Self { Self() }

    /// No date matches the expression.
    public static var neverDue: Self { Self() }

    /// The interval is shorter than a second or longer than 100 years, or its start is no date.
    public static var invalidInterval: Self { Self() }
}
