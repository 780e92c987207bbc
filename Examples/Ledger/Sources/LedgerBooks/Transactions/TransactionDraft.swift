// SPDX-License-Identifier: Apache-2.0

/// A transaction from a journal or the API that isn't validated yet.
///
/// ``balanced()`` validates it and returns the postings.
public struct TransactionDraft: Sendable, Hashable, Codable {
    /// The date of the transaction.
    public var date: BookDate

    /// The status mark of the transaction.
    public var status: TransactionStatus

    /// A reference, such as the number of a cheque; empty for none.
    public var code: String

    /// The description or payee.
    public var description: String

    /// The comment, its lines separated by line feeds; empty for none.
    public var comment: String

    /// The postings, in the order of the source.
    public var postings: [PostingDraft]

    /// Creates a draft of a transaction.
    public init(
        date: BookDate,
        status: TransactionStatus = .unmarked,
        code: String = "",
        description: String = "",
        comment: String = "",
        postings: [PostingDraft] = []
    ) {
        self.date = date
        self.status = status
        self.code = code
        self.description = description
        self.comment = comment
        self.postings = postings
    }
}
