// SPDX-License-Identifier: Apache-2.0

/// A posting that isn't validated yet.
public struct PostingDraft: Sendable, Hashable, Codable {
    /// The full name of the account.
    ///
    /// Colons separate the levels.
    public var account: String

    /// The amount; `nil` for the amount that balances the transaction.
    public var amount: Amount?

    /// The cost of the amount in another commodity; `nil` for none.
    public var cost: Cost?

    /// The status mark of the posting.
    public var status: TransactionStatus

    /// The comment, its lines separated by line feeds; empty for none.
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
