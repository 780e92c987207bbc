// SPDX-License-Identifier: Apache-2.0

public import LedgerBooks

/// The transactions of a parsed journal, in the order of the file.
///
/// They aren't balanced yet.
///
/// Balance each transaction with `TransactionDraft.balanced()`. ``JournalParser`` has already checked the balance
/// assertions, written with `=` after an amount.
public struct Journal: Sendable, Hashable {
    /// A transaction and its line.
    public struct Entry: Sendable, Hashable {
        /// The transaction.
        public let transaction: TransactionDraft

        /// The name of the included file; `nil` if the transaction is in the journal itself.
        public let file: String?

        /// The line of the date, counting from 1.
        public let line: Int

        /// The postings as written; empty if all are real, and none claims a balance or has a date.
        let written: [WrittenPosting]

        /// Whether the transaction has balance assertions or balance assignments.
        ///
        /// Assertions are checked only if the whole journal is parsed.
        public var claimsBalances: Bool { written.contains { $0.claim != nil } }

        /// Whether amounts follow from balances.
        var assignsBalances: Bool { written.contains(where: \.isAssignment) }

        /// Whether a posting has a date of its own.
        var hasPostingDates: Bool { written.contains { $0.date != nil } }

        /// Whether all postings are virtual, and there is at least one.
        var isVirtual: Bool { !written.isEmpty && transaction.postings.isEmpty }

        /// Whether the real postings move nothing: there is at most one, and its amount is missing or zero.
        var isEmpty: Bool {
            guard !isVirtual, let posting = transaction.postings.first else { return !isVirtual }
            return transaction.postings.count == 1 && posting.cost == nil && !assignsBalances
                && posting.amount?.quantity.isZero != false
        }

        /// Creates an entry of real postings without balance assertions.
        public init(transaction: TransactionDraft, line: Int) {
            self.transaction = transaction
            self.line = line
            file = nil
            written = []
        }

        /// Creates an entry with the real ones of the written postings.
        init(_ transaction: TransactionDraft, written: [WrittenPosting], file: String?, line: Int) {
            var transaction = transaction
            transaction.postings = written.filter { $0.kind == .real }.map(\.draft)
            self.transaction = transaction
            self.line = line
            self.file = file
            self.written = written.contains { $0.kind != .real || $0.claim != nil || $0.date != nil } ? written : []
        }
    }

    /// The name of the file that was passed to the parser.
    public let file: String

    /// The transactions, in the order of the file.
    public let entries: [Entry]

    /// Number of ignored directives, by keyword.
    public let skippedDirectives: [String: Int]

    /// Number of other parts of the journal that aren't imported, by name, such as `virtual posting`.
    public let leftOut: [String: Int]

    /// The types of accounts that directives have declared with a tag `type:`, by the names of the accounts.
    public let accountTypes: [String: AccountType]

    /// Creates a journal.
    public init(
        file: String,
        entries: [Entry],
        skippedDirectives: [String: Int] = [:],
        leftOut: [String: Int] = [:],
        accountTypes: [String: AccountType] = [:]
    ) {
        self.file = file
        self.entries = entries
        self.skippedDirectives = skippedDirectives
        self.leftOut = leftOut
        self.accountTypes = accountTypes
    }
}
