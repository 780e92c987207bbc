// SPDX-License-Identifier: Apache-2.0

#if Tool
import Foundation

/// The result of a command.
protocol Report: Encodable {
    /// The result as text for a person, one line each.
    var lines: [String] { get }
}

extension Report {
    /// Prints the result as JSON or as text.
    ///
    /// - Throws: The error of the encoding.
    func print(asJSON: Bool) throws {
        if asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            encoder.dateEncodingStrategy = .iso8601
            Console.write(String(decoding: try encoder.encode(self), as: UTF8.self))
        } else {
            for line in lines { Console.write(line.withoutControlCharacters) }
        }
    }
}

/// The number of rows that a command has changed.
struct ChangeReport: Report {
    let count: Int

    private let text: String

    private enum CodingKeys: CodingKey { case count }

    /// Creates the report: `singular` or `plural` names the rows, and `what` says what has happened to them.
    init(_ count: Int, _ singular: String, _ plural: String, _ what: String) {
        self.count = count
        text = "\(count) \(count == 1 ? singular : plural) \(what)."
    }

    var lines: [String] { [text] }
}

extension Date {
    /// The date in ISO 8601, in UTC, to the second.
    var text: String { formatted(.iso8601) }
}

extension String {
    /// The text with a replacement for each control character, which a terminal would execute.
    fileprivate var withoutControlCharacters: String {
        String(
            String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 })
        )
    }
}
#endif
