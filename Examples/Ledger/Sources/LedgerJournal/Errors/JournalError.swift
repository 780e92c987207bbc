//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error in a journal, with the place where it stands.
///
/// Branch on ``code``, show ``description``. New codes may appear in minor releases.
public struct JournalError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let code: Code

    /// The name of the file, as it was given to the parser.
    public let file: String

    /// The line, counting from 1.
    public let line: Int

    /// The character in the line, counting from 1, or nil where the whole line is meant.
    public let column: Int?

    /// The offending text, shortened to ``maximumExcerptLength`` characters.
    public let excerpt: String

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// The most characters of the journal that an error quotes.
    public static let maximumExcerptLength = 60

    /// The place, the message and the offending text, as in `books.journal:12:5: … : "…"`.
    public var description: String {
        let place = column.map { "\(file):\(line):\($0)" } ?? "\(file):\(line)"
        return excerpt.isEmpty ? "\(place): \(message)" : "\(place): \(message) Found: \(excerpt)"
    }
}
