// SPDX-License-Identifier: Apache-2.0

public import LedgerBooks

/// Parses plain-text accounting journals: a common subset of the formats of hledger and Ledger.
///
/// The parser interprets a journal as hledger 1.25 does, or throws a ``JournalError`` with the line. It supports:
///
/// - Dates `YYYY-MM-DD`, with the separators `-`, `/`, or `.` and optional leading zeros, without the year after a
///   directive `Y` or with a ``defaultYear``; the status marks `*` and `!`; a code in parentheses; a description; comments after `;`.
/// - Postings: an account, two spaces or more (or a space and a tab), an optional amount, a cost after `@` or `@@`, and
///   a balance assertion after `=`, `==`, `=*`, or `==*`. The balance starts at zero with the journal and is summed in
///   the order of the dates. A balance without an amount before it is a balance assignment: the posting receives the
///   difference.
/// - Amounts: the commodity before or after the number, in quotes if it contains spaces or digits; a sign before the
///   commodity or the number; digit groups separated by commas, points, or spaces. A single comma or point is the
///   decimal mark, unless a directive `decimal-mark`, `commodity`, or `D` before it says otherwise.
/// - Lines that start with `;`, `#` or `*`, and `comment` blocks, as comments.
/// - Directives: `decimal-mark`, `D`, the formats of `commodity`, `Y`, `apply account`, and `alias`, also with a regular
///   expression, take effect. `include` does if the parser has a ``loader``. The tag `type:` of `account` is in
///   ``Journal/accountTypes``. `account`, `payee`, `tag`, `P`, and others are otherwise ignored and counted.
///
/// Some parts of a journal are checked, counted in ``Journal/leftOut``, and otherwise left out: virtual postings (in
/// parentheses or brackets), posting dates (in the comment of a posting, as in `date:2024-02-29` or `[2024-02-29]`),
/// secondary dates, lot prices, and lot dates. The books are those that hledger shows with `--real`, and each posting
/// has the date of its transaction. But virtual postings and posting dates count for balance assertions and balance
/// assignments. Periodic and automated transactions are counted and left out without a check.
///
/// An account has at most 4,096 bytes and 100 levels. What the directives `apply account` and `alias` may add to the
/// accounts of a journal is limited, so that a short journal can't fill the memory.
///
/// A parser is a value without state. It reads the input once, line by line.
public struct JournalParser: Sendable {
    /// Maximum length of a line in bytes, 1 MiB by default.
    public var maximumLineLength: Int

    /// The year of dates without a year, until a directive sets another; `nil`, the default, refuses them.
    public var defaultYear: Int?

    /// The function that loads included files; `nil`, the default, refuses the directive `include`.
    public var loader: JournalSource.Loader?

    /// Creates a parser.
    public init(maximumLineLength: Int = 1 << 20, defaultYear: Int? = nil, loader: JournalSource.Loader? = nil) {
        self.maximumLineLength = maximumLineLength
        self.defaultYear = defaultYear
        self.loader = loader
    }

    private func reader(of bytes: [UInt8], file: String) -> JournalReader {
        var reader = JournalReader(bytes: bytes, file: file, maximumLineLength: maximumLineLength, loader: loader)
        reader.defaultYear = defaultYear
        return reader
    }

    /// Parses the journal in `bytes`, which are UTF-8, with or without a byte order mark.
    ///
    /// Lines end with a line feed, a carriage return, or both. The last line may end with the input.
    ///
    /// - Complexity: O(*n*) in the number of bytes, and O(*n* log *n*) in the number of postings if there are
    ///   balance assertions or assignments.
    /// - Parameters:
    ///   - bytes: The journal.
    ///   - file: The name to use in the journal and in errors.
    /// - Returns: The transactions of the journal, not yet balanced.
    /// - Throws: ``JournalError`` for the first invalid line or, if there is none, for the first balance assertion that
    ///   fails or can't be checked, because an unbalanced transaction comes before it. If no balance is claimed after
    ///   a transaction, the parser doesn't check whether it is balanced.
    public func parse(_ bytes: [UInt8], file: String) throws -> Journal {
        var reader = reader(of: bytes, file: file)
        return try reader.readJournal().settled()
    }

    /// Parses the journal in `bytes` incrementally, one transaction at a time.
    ///
    /// The format and the errors are the same as in ``parse(_:file:)``, but balance assertions aren't checked; see
    /// ``Journal/Entry/claimsBalances``.
    public func entries(of bytes: [UInt8], file: String) -> JournalEntries {
        JournalEntries(reader(of: bytes, file: file))
    }

    /// Parses an amount with an optional cost after `@` or `@@`, as in `10 USD @ 0.92 EUR`.
    ///
    /// No directive tells the decimal mark here. So a number is refused if its only mark follows one to three digits,
    /// not only zeros, and comes before exactly three: `1,825`.
    ///
    /// - Throws: ``JournalError`` if `text` is anything else, with the code ``JournalError/Code/ambiguousNumber`` for
    ///   such a number.
    public func amount(_ text: String) throws -> (amount: Amount, cost: Cost?) {
        var reader = reader(of: Array(text.utf8), file: "amount")
        return try reader.readLoneAmount()
    }
}
