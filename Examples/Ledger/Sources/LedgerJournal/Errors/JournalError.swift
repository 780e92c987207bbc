// SPDX-License-Identifier: Apache-2.0

/// An error in a journal, with its line.
///
/// Branch on ``code``, show ``description``. New codes may appear in minor releases.
public struct JournalError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public let code: Code

    /// The name of the file that was passed to the parser.
    public let file: String

    /// The line, counting from 1.
    public let line: Int

    /// The character in the line, counting from 1; `nil` if the error concerns the whole line.
    public let column: Int?

    /// The invalid text, shortened to ``maximumExcerptLength`` characters.
    public let excerpt: String

    /// The cause and the remedy, one sentence each.
    public let message: String

    /// Maximum number of characters in the excerpt.
    public static let maximumExcerptLength = 60

    /// The line, the message, and the invalid text, as in `books.journal:12:5: … Found: …`.
    public var description: String {
        let place = column.map { "\(file):\(line):\($0)" } ?? "\(file):\(line)"
        return excerpt.isEmpty ? "\(place): \(message)" : "\(place): \(message) Found: \(excerpt)"
    }
}
