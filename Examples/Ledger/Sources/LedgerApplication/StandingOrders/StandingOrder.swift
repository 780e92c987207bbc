// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A transaction that is posted again and again until it has been posted a number of times.
///
/// ``StandingOrderPayments`` decides when. The entity keeps the results for queries.
public final class StandingOrder: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "standing-order"

    /// The state of a standing order.
    public enum State: String, Sendable, Hashable, Codable {
        /// Payments are made as planned.
        case active

        /// A payment was refused or had no answer several times, and a person should look at it.
        case needsAttention

        /// All payments were made.
        case finished

        /// It was cancelled.
        case cancelled

        /// A payment was refused or had no answer too often.
        case givenUp
    }

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The identifier.
    public let id: UUID

    /// The transaction to post; each payment has its own date.
    public let draft: TransactionDraft

    /// Number of payments.
    public let count: Int

    /// The time between two payments, in seconds; `nil` for orders that an earlier version has placed.
    public let intervalSeconds: Int?

    /// The state.
    public internal(set) var state = State.active

    /// Number of payments that were made.
    public private(set) var paidCount = 0

    /// The last reason why a payment wasn't made; `nil` if the last payment was made.
    public internal(set) var refusal: String?

    /// Places a standing order, and raises ``StandingOrderPlaced``.
    init(_ id: UUID, paying draft: TransactionDraft, count: Int, everySeconds intervalSeconds: Int) {
        self.id = id
        self.draft = draft
        self.count = count
        self.intervalSeconds = intervalSeconds
        raiseEvent(StandingOrderPlaced(order: id, draft: draft, count: count, intervalSeconds: intervalSeconds))
    }

    /// Notes that a payment was made, and raises ``StandingOrderPaid``.
    ///
    /// - Parameter payment: Number of the payment, counting from 1.
    func notePaid(_ payment: Int) {
        paidCount = payment
        refusal = nil
        state = payment == count ? .finished : .active
        raiseEvent(StandingOrderPaid(order: id, payment: payment))
    }

    /// Notes that a payment was refused, and raises ``StandingOrderRefused``.
    ///
    /// - Parameters:
    ///   - payment: Number of the payment, counting from 1.
    ///   - attempt: Number of the attempt at the payment, counting from 1; `nil` if it is unknown.
    ///   - reason: The cause and the remedy.
    func noteRefused(_ payment: Int, attempt: Int?, _ reason: String) {
        refusal = reason
        raiseEvent(StandingOrderRefused(order: id, payment: payment, attempt: attempt))
    }

    /// Marks the order for the attention of a person.
    func escalate() {
        state = .needsAttention
        if refusal == nil {
            refusal = "The attempts to make the payment had no answer. To fix, look for them in the dead letters."
        }
    }

    /// Cancels the order, and raises ``StandingOrderCancelled``.
    func cancel() {
        state = .cancelled
        raiseEvent(StandingOrderCancelled(order: id))
    }

    /// Whether payments are still to be made.
    public var isOpen: Bool { state == .active || state == .needsAttention }
}
