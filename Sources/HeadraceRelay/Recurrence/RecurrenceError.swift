// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

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
