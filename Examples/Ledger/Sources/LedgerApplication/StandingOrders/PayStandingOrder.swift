// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A command that makes one payment of a standing order.
public struct PayStandingOrder: CQDCommand, DurableCommand, SerializedCommand, Hashable {
    /// The name of the command in the store.
    public static let commandName = "pay-standing-order"

    /// The identifier of the standing order.
    public let order: UUID

    /// Number of the payment, counting from 1.
    public let payment: Int

    /// Number of the attempt at the payment, counting from 1; `nil` in commands of earlier versions.
    public let attempt: Int?

    /// The transaction to post.
    public let draft: TransactionDraft

    /// The time of the payment; its day in UTC is the date of the transaction.
    public let date: Date

    /// The keys of the accounts of the postings.
    public var lockKeys: Set<String> { Account.lockKeys(of: draft) }

    /// Creates the command.
    public init(order: UUID, payment: Int, attempt: Int? = nil, draft: TransactionDraft, date: Date) {
        self.order = order
        self.payment = payment
        self.attempt = attempt
        self.draft = draft
        self.date = date
    }
}

/// Posts the transaction of a payment, or notes why it is refused.
///
/// A payment that was already made isn't made again.
public final class PayStandingOrderHandler: HandlesCommand, Resolvable {
    private let context: EntityContext
    private let store: any EntityStore

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self).on((any EntityStore).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
        store = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: PayStandingOrder) async throws {
        guard let order = try await context.find(StandingOrder.self, id: command.order), order.isOpen else { return }
        if command.payment <= order.paidCount { return }
        var draft = command.draft
        draft.date = BookDate(command.date.formatted(.iso8601.year().month().day())) ?? draft.date
        if let refusal = try await refusal(of: draft) {
            return order.noteRefused(command.payment, attempt: command.attempt, refusal)
        }
        var bookkeeper = Bookkeeper(in: context)
        try await bookkeeper.post(draft, origin: Fingerprint([order.id.uuidString, "\(command.payment)"]))
        try bookkeeper.finish()
        order.notePaid(command.payment)
    }

    /// Returns the reason why the books refuse `draft`, or `nil`.
    ///
    /// The trial has its own entities, so that a refusal leaves no changes in the unit of work.
    private func refusal(of draft: TransactionDraft) async throws -> String? {
        let context = EntityContext(store)
        defer { context.rollback() }
        var trial = Bookkeeper(in: context)
        do {
            try await trial.post(draft, origin: nil)
            try trial.finish()
            return nil
        } catch let refusal as AccountRefusal {
            return refusal.message
        } catch let refusal as PostingRefusal {
            return "\(refusal)"
        }
    }
}
