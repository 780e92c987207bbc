// SPDX-License-Identifier: Apache-2.0

public import LedgerBooks

/// Parses the transactions of a journal one by one.
public struct JournalEntries: ~Copyable {
    private var reader: JournalReader

    /// The year of dates without a year before the first directive.
    private let defaultYear: Int?

    /// Number of transactions that were returned by the reader.
    private var count = 0

    /// The transactions from the first balance assignment on.
    private var settled: ArraySlice<Journal.Entry>?

    /// The types of accounts in the whole journal, if it is parsed.
    private var settledTypes: [String: AccountType]?

    /// The types of accounts that directives up to here have declared; see ``Journal/accountTypes``.
    public var accountTypes: [String: AccountType] { settledTypes ?? reader.accountTypes }

    /// Whether a line up to here claims a balance; see ``Journal/Entry/claimsBalances``.
    public private(set) var claimsBalances = false

    init(_ reader: JournalReader) {
        self.reader = reader
        defaultYear = reader.defaultYear
    }

    /// Returns the next transaction; `nil` after the last transaction.
    ///
    /// At the first balance assignment, the whole journal is parsed, because the amount depends on all transactions of
    /// earlier dates.
    ///
    /// - Throws: ``JournalError`` for the first invalid line. Don't call the method again after an error.
    public mutating func next() throws -> Journal.Entry? {
        while settled == nil, let entry = try reader.nextEntry() {
            claimsBalances = claimsBalances || entry.claimsBalances
            if entry.assignsBalances {
                var whole = reader.restarted(in: defaultYear)
                let journal = try whole.readJournal().settled()
                settled = journal.entries.dropFirst(count)
                settledTypes = journal.accountTypes
            } else if !entry.isVirtual && !entry.isEmpty {
                count += 1
                return entry
            }
        }
        return settled?.popFirst()
    }
}
