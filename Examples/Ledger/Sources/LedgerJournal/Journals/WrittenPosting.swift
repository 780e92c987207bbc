// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// A posting as it is written in a journal.
struct WrittenPosting: Sendable, Hashable {
    /// Whether the posting takes part in the balance of its transaction.
    enum Kind: Sendable, Hashable {
        /// The posting belongs to the books.
        case real

        /// The account is in parentheses.
        ///
        /// The posting isn't balanced.
        case unbalanced

        /// The account is in brackets.
        ///
        /// The postings in brackets balance each other.
        case bracketed
    }

    /// A balance directly after the posting.
    struct Claim: Sendable, Hashable {
        /// The balance.
        let balance: Amount

        /// Whether the account has no other commodity, as in `==`.
        let isTotal: Bool

        /// Whether subaccounts are included, as in `=*`.
        let isInclusive: Bool

        /// The characters before the balance.
        var mark: String { "=" + (isTotal ? "=" : "") + (isInclusive ? "*" : "") }

        /// The mark and the balance, as in `== 5 EUR`.
        var text: String { "\(mark) \(balance)" }
    }

    /// The posting.
    var draft: PostingDraft

    /// The kind of the posting.
    let kind: Kind

    /// The claimed balance; `nil` for none.
    ///
    /// Without an amount, the posting is a balance assignment: it receives the difference.
    let claim: Claim?

    /// The line of the posting, counting from 1.
    let line: Int

    /// The date in the comment of the posting; `nil` if the posting has the date of its transaction.
    var date: BookDate?

    /// Whether the amount was missing and was computed from the claimed balance.
    var isComputed = false

    /// Whether the amount is missing and follows from the claimed balance.
    var isAssignment: Bool { claim != nil && draft.amount == nil }
}
