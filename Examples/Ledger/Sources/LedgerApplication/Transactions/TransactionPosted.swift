// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A transaction was posted.
public struct TransactionPosted: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "transaction-posted"

    /// The identifier of the transaction.
    public let transaction: UUID

    /// The date of the transaction.
    public let date: BookDate

    /// The postings.
    public let postings: [Posting]

    /// The identifier of the transaction that this transaction reverses; `nil` for none.
    public let reverses: UUID?
}
