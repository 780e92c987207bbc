// SPDX-License-Identifier: Apache-2.0

#if Client
package import Foundation

/// The JSON of a `MessageAPI`: Foundation's, with times of ISO 8601 in milliseconds.
package enum MessageJSON {
    /// Returns the JSON of `value`.
    ///
    /// - Throws: `EncodingError`.
    package static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = MessageTime.text(date) else {
                // The description of such a date can trap.
                throw EncodingError.invalidValue(
                    date.timeIntervalSince1970,
                    EncodingError.Context(
                        codingPath: encoder.codingPath, debugDescription: "must be a time of the years 1 to 9999"))
            }
            try container.encode(text)
        }
        return try encoder.encode(value)
    }

    /// Decodes `json` as a value of `type`.
    ///
    /// - Throws: `DecodingError`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
        try decoder.decode(type, from: json)
    }

    /// A new decoder.
    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = MessageTime.date(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "must be a time such as 2026-01-31T12:00:00.000Z")
            }
            return date
        }
        return decoder
    }
}

/// Times as texts with milliseconds.
package enum MessageTime {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The milliseconds of the years 1 to 9999, which a text of ISO 8601 can have.
    private static let range = -62_135_596_800_000.0..<253_402_300_800_000

    /// Returns `date` as a text, rounded; `nil` if it isn't in the years 1 to 9999.
    static func text(_ date: Date) -> String? {
        let milliseconds = milliseconds(of: date)
        if !range.contains(milliseconds) { return nil }
        // The style cuts digits off, and the binary number is often a little less than its milliseconds.
        return Date(timeIntervalSince1970: (milliseconds + 0.5) / 1_000).formatted(style)
    }

    /// Returns the time in `text`, with or without a fraction of the second; `nil` if it is none.
    package static func date(_ text: String) -> Date? {
        let date = (try? Date(text, strategy: style)) ?? (try? Date(text, strategy: .iso8601))
        return date.map { Date(timeIntervalSince1970: milliseconds(of: $0) / 1_000) }
    }

    private static func milliseconds(of date: Date) -> Double { (date.timeIntervalSince1970 * 1_000).rounded() }
}
#endif
