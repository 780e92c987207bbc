//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A transaction as a journal or an API asks to post it; nothing about it is proved yet.
///
/// Prove it with ``balanced()``, which returns the postings to keep.
public struct TransactionDraft: Sendable, Hashable, Codable {
    /// The day of the transaction.
    public var date: BookDate

    /// The mark of the whole transaction.
    public var status: TransactionStatus

    /// A reference such as the number of a cheque; empty for none.
    public var code: String

    /// What the transaction is about.
    public var description: String

    /// The comment, its lines parted by line feeds; empty for none.
    public var comment: String

    /// The lines, in the order they were written.
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
