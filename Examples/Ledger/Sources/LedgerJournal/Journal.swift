//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import LedgerBooks

/// What a journal asks to post, in the order it was written; nothing about it is proved yet.
///
/// Prove each transaction with `TransactionDraft.balanced()`. What the journal claims about the balances
/// on the way, with `=` after an amount, holds already: ``JournalParser`` has checked it.
public struct Journal: Sendable, Hashable {
    /// One transaction and the place where it stands.
    public struct Entry: Sendable, Hashable {
        /// What the journal asks to post.
        public let transaction: TransactionDraft

        /// The line of the date, counting from 1.
        public let line: Int

        /// What the postings claim about the balances of their accounts, in the order of the postings.
        let assertions: [Assertion]

        /// Whether it claims anything about balances, which is checked only where the journal is read whole.
        public var claimsBalances: Bool { !assertions.isEmpty }

        /// Creates an entry that claims nothing about balances.
        public init(transaction: TransactionDraft, line: Int) {
            self.init(transaction: transaction, line: line, assertions: [])
        }

        init(transaction: TransactionDraft, line: Int, assertions: [Assertion]) {
            self.transaction = transaction
            self.line = line
            self.assertions = assertions
        }
    }

    /// The claim that an account has a certain balance in one commodity right after a posting.
    struct Assertion: Sendable, Hashable {
        /// The index of the posting within its transaction, counting from 0.
        let posting: Int

        /// The balance that is claimed, in the one commodity it names.
        let balance: Amount

        /// The line of the posting, counting from 1.
        let line: Int
    }

    /// The name of the file, as it was given to the parser.
    public let file: String

    /// The transactions, in the order they were written.
    public let entries: [Entry]

    /// How often each directive was passed over, by keyword; directives that take effect don't count.
    public let skippedDirectives: [String: Int]

    /// Creates a journal.
    public init(file: String, entries: [Entry], skippedDirectives: [String: Int] = [:]) {
        self.file = file
        self.entries = entries
        self.skippedDirectives = skippedDirectives
    }
}
