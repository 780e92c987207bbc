// SPDX-License-Identifier: Apache-2.0

/// A date in the Gregorian calendar, without time and time zone.
///
/// Every value is a valid date from 0001-01-01 to 9999-12-31. The encoded form is the ISO 8601 text, which sorts by
/// date.
public struct BookDate: Sendable, Hashable {
    /// The year, from 1 to 9999.
    public let year: Int

    /// The month, counting from 1.
    public let month: Int

    /// The day of the month, counting from 1.
    public let day: Int

    /// Creates a date.
    ///
    /// Returns `nil` if the date doesn't exist.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        guard day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2:
            let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            return isLeapYear ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }
}

extension BookDate: Comparable {
    /// Orders by date.
    public static func < (left: BookDate, right: BookDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}

extension BookDate: LosslessStringConvertible {
    /// Creates a date from a text `YYYY-MM-DD`.
    ///
    /// Returns `nil` if `text` isn't a date.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var number = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return number
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The ISO 8601 text, `YYYY-MM-DD`.
    public var description: String {
        // This is performance-critical: the date is an index of each transaction.
        func digit(_ number: Int, over power: Int) -> UInt8 { UInt8(ascii: "0") + UInt8(number / power % 10) }
        return String(
            decoding: [
                digit(year, over: 1000), digit(year, over: 100), digit(year, over: 10), digit(year, over: 1),
                UInt8(ascii: "-"), digit(month, over: 10), digit(month, over: 1),
                UInt8(ascii: "-"), digit(day, over: 10), digit(day, over: 1),
            ],
            as: UTF8.self
        )
    }
}

extension BookDate: Codable {
    /// Decodes the ISO 8601 text.
    ///
    /// - Throws: `DecodingError` if the value isn't text, or the text isn't a date.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = BookDate(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text.prefix(60))' isn't a date. To fix, write it as in \"2024-02-29\"."
            )
        }
        self = date
    }

    /// Encodes the ISO 8601 text.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
