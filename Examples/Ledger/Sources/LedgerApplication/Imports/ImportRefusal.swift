// SPDX-License-Identifier: Apache-2.0

public import LedgerBooks

/// An error that is thrown if the domain refuses a transaction of a journal.
///
/// Nothing of the journal is imported.
public struct ImportRefusal: Error, Sendable, CustomStringConvertible {
    /// The name of the journal.
    public let journal: String

    /// The first line of the transaction, counting from 1.
    public let line: Int

    /// The reason.
    public let refusal: PostingRefusal

    /// The line, the reason, and the remedy.
    public var description: String {
        "\(journal):\(line): \(refusal.message) Nothing of '\(journal)' was imported."
    }
}
