//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import LedgerBooks

/// Reads plain-text accounting journals, the common subset of what hledger and Ledger write.
///
/// Whatever is accepted means what hledger 1.25 takes it to mean; everything else is a ``JournalError``
/// that names the line. What is understood:
///
/// - Dates `YYYY-MM-DD`, with `-`, `/` or `.` between and leading zeros optional; the marks `*` and `!`;
///   a code in parentheses; a description; comments after `;`.
/// - Postings: an account, two spaces or more (or a space and a tab), an amount or none, a cost after
///   `@` or `@@`, and after `=` the balance that the account must
///   have then, counted from the start of this journal in the order of the dates.
/// - Amounts: the commodity before or after, in quotes where it has spaces or digits; a sign before the
///   commodity or the number; digit groups parted by commas, points or spaces. A lone comma or point is
///   the decimal mark, unless a `decimal-mark`, `commodity` or `D` directive above says otherwise.
/// - Lines that start with `;`, `#` or `*`, and `comment` blocks, as comments.
/// - Directives: `decimal-mark`, `D` and the formats of `commodity` take effect; `account`, `payee`, `tag`,
///   `P` and the like are passed over and counted.
///
/// A parser is a value and keeps nothing between calls. It reads its input once, line by line, and
/// holds no more than the input and the result.
public struct JournalParser: Sendable {
    /// The longest line that is read, in bytes; 1 MiB unless set otherwise.
    public var maximumLineLength: Int

    /// Creates a parser.
    public init(maximumLineLength: Int = 1 << 20) {
        self.maximumLineLength = maximumLineLength
    }

    /// Reads the whole journal in `bytes`, which are UTF-8, with or without a byte order mark.
    ///
    /// Lines end with a line feed, a carriage return, or both; the last may end with the input.
    ///
    /// - Complexity: O(*n*) in the number of bytes, and O(*n* log *n*) in the number of transactions where
    ///   balances are claimed.
    /// - Parameters:
    ///   - bytes: The journal.
    ///   - file: The name to use in the journal and in errors.
    /// - Returns: The transactions of the journal, not yet balanced.
    /// - Throws: ``JournalError`` for the first line that is not understood or, where all are, the first balance
    ///   that does not hold. Transactions that do not add up are not its concern.
    public func parse(_ bytes: [UInt8], file: String) throws -> Journal {
        var reader = JournalReader(bytes: bytes, file: file, maximumLineLength: maximumLineLength)
        let journal = try reader.readJournal()
        try journal.checkAssertions()
        return journal
    }

    /// Begins to read the journal in `bytes`, a transaction at a time, for journals that are not to be held whole.
    ///
    /// What is understood is what ``parse(_:file:)`` understands, and errors are the same; the claims about balances are
    /// not checked: see ``Journal/Entry/claimsBalances``.
    public func entries(of bytes: [UInt8], file: String) -> JournalEntries {
        JournalEntries(JournalReader(bytes: bytes, file: file, maximumLineLength: maximumLineLength))
    }

    /// Reads an amount, with a cost after `@` or `@@` if there is one, as a posting has it: `10 USD @ 0.92 EUR`.
    ///
    /// - Throws: ``JournalError`` where `text` is something else, or more than that.
    public func amount(_ text: String) throws -> (amount: Amount, cost: Cost?) {
        var reader = JournalReader(bytes: Array(text.utf8), file: "amount", maximumLineLength: maximumLineLength)
        return try reader.readLoneAmount()
    }
}
