// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A standing order was placed.
public struct StandingOrderPlaced: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "standing-order-placed"

    /// The identifier of the standing order.
    public let order: UUID

    /// The transaction to post.
    public let draft: TransactionDraft

    /// Number of payments.
    public let count: Int

    /// The time between two payments, in seconds.
    public let intervalSeconds: Int

    /// Creates the event.
    public init(order: UUID, draft: TransactionDraft, count: Int, intervalSeconds: Int) {
        self.order = order
        self.draft = draft
        self.count = count
        self.intervalSeconds = intervalSeconds
    }
}

/// A payment of a standing order was made.
public struct StandingOrderPaid: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "standing-order-paid"

    /// The identifier of the standing order.
    public let order: UUID

    /// Number of the payment, counting from 1.
    public let payment: Int

    /// Creates the event.
    public init(order: UUID, payment: Int) {
        self.order = order
        self.payment = payment
    }
}

/// A payment of a standing order was refused.
public struct StandingOrderRefused: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "standing-order-refused"

    /// The identifier of the standing order.
    public let order: UUID

    /// Number of the payment, counting from 1.
    public let payment: Int

    /// Number of the attempt at the payment, counting from 1; `nil` in events of earlier versions.
    public let attempt: Int?

    /// Creates the event.
    public init(order: UUID, payment: Int, attempt: Int? = nil) {
        self.order = order
        self.payment = payment
        self.attempt = attempt
    }
}

/// A standing order was cancelled.
public struct StandingOrderCancelled: DurableDomainEvent {
    /// The name of the event in the store.
    public static let eventName = "standing-order-cancelled"

    /// The identifier of the standing order.
    public let order: UUID

    /// Creates the event.
    public init(order: UUID) {
        self.order = order
    }
}
