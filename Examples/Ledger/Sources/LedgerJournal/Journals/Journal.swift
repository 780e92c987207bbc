//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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

        /// The line of the date, counting from 1.
        public let line: Int

        /// The balance assertions of the postings, in the order of the postings.
        let assertions: [Assertion]

        /// Whether the transaction has balance assertions.
        ///
        /// They are checked only if the whole journal is parsed.
        public var claimsBalances: Bool { !assertions.isEmpty }

        /// Creates an entry without balance assertions.
        public init(transaction: TransactionDraft, line: Int) {
            self.init(transaction: transaction, line: line, assertions: [])
        }

        init(transaction: TransactionDraft, line: Int, assertions: [Assertion]) {
            self.transaction = transaction
            self.line = line
            self.assertions = assertions
        }
    }

    /// An assertion about the balance of an account in one commodity directly after a posting.
    struct Assertion: Sendable, Hashable {
        /// The index of the posting within its transaction, counting from 0.
        let posting: Int

        /// The asserted balance.
        let balance: Amount

        /// The line of the posting, counting from 1.
        let line: Int
    }

    /// The name of the file that was passed to the parser.
    public let file: String

    /// The transactions, in the order of the file.
    public let entries: [Entry]

    /// Number of ignored directives, by keyword.
    public let skippedDirectives: [String: Int]

    /// Creates a journal.
    public init(file: String, entries: [Entry], skippedDirectives: [String: Int] = [:]) {
        self.file = file
        self.entries = entries
        self.skippedDirectives = skippedDirectives
    }
}
