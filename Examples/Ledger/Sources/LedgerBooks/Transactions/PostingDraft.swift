//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One line of a transaction as somebody asks for it; nothing about it is proved yet.
public struct PostingDraft: Sendable, Hashable, Codable {
    /// The full name of the account, levels parted by colons.
    public var account: String

    /// What goes to the account, or nil to take whatever balances the transaction.
    public var amount: Amount?

    /// What the amount cost in another commodity, or nil.
    public var cost: Cost?

    /// The mark of this line alone.
    public var status: TransactionStatus

    /// The comment, its lines parted by line feeds; empty for none.
    public var comment: String

    /// Creates a draft of a posting.
    public init(
        account: String,
        amount: Amount? = nil,
        cost: Cost? = nil,
        status: TransactionStatus = .unmarked,
        comment: String = ""
    ) {
        self.account = account
        self.amount = amount
        self.cost = cost
        self.status = status
        self.comment = comment
    }
}
