// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace

/// A command that marks a standing order for the attention of a person.
public struct EscalateStandingOrder: CQDCommand, DurableCommand, Hashable {
    /// The name of the command in the store.
    public static let commandName = "escalate-standing-order"

    /// The identifier of the standing order.
    public let order: UUID

    /// Number of the payment that needs attention, counting from 1; `nil` in commands of earlier versions.
    public let payment: Int?

    /// Creates the command.
    public init(order: UUID, payment: Int?) {
        self.order = order
        self.payment = payment
    }
}

/// A command that ends a standing order with a payment that was refused or had no answer too often.
public struct GiveUpStandingOrder: CQDCommand, DurableCommand, Hashable {
    /// The name of the command in the store.
    public static let commandName = "give-up-standing-order"

    /// The identifier of the standing order.
    public let order: UUID
}

/// Marks the standing order, unless the payment was made meanwhile.
public final class EscalateStandingOrderHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: EscalateStandingOrder) async throws {
        guard let order = try await context.find(StandingOrder.self, id: command.order), order.state == .active
        else { return }
        // The commands of a process have no order, so the payment may have been made since, and the next one refused.
        let isDue = command.payment.map { order.paidCount < $0 } ?? (order.refusal != nil)
        if isDue { order.escalate() }
    }
}

/// Ends the standing order.
public final class GiveUpStandingOrderHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: GiveUpStandingOrder) async throws {
        // The process has ended, so the order makes no further payment, even if the last attempt has succeeded since.
        guard let order = try await context.find(StandingOrder.self, id: command.order), order.isOpen else { return }
        order.state = .givenUp
    }
}
