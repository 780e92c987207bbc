// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace

/// Pays and ships an order; cancels it if the payment is late, and gives the money back if the shipment fails.
struct Fulfilment: DurableProcess {
    static let processName = "fulfilment"
    static let commands: [any DurableCommand.Type] = [
        TakePayment.self, Ship.self, RefundPayment.self, CancelOrder.self,
    ]

    enum Step: String, Codable { case paying, shipping, shipped, refunding, cancelled }
    enum Timeout: String, CaseIterable { case payment, reminder }

    let order: String
    var step = Step.paying
    var amount = 0

    init(key order: String) { self.order = order }

    static let reactions: [ProcessReaction<Fulfilment>] = [
        .start(on: PurchasePlaced.self, by: \.order) { process, event, context in
            if event.amount < 0 { throw InvalidAmount() }
            process.amount = event.amount
            context.send(TakePayment(order: process.order, amount: event.amount))
            context.setTimeout(.payment, after: .seconds(900))
        },
        .on(PaymentTaken.self, by: \.order) { process, _, context in
            process.step = .shipping
            context.cancelTimeout(.payment)
            context.send(Ship(order: process.order))
        },
        .on(PaymentDelayed.self, by: \.order) { _, event, context in
            context.setTimeout(.payment, after: .seconds(event.seconds))
        },
        .on(Shipped.self, by: \.order) { process, _, context in
            process.step = .shipped
            context.end()
        },
        .on(ShipmentFailed.self, by: \.order) { process, _, context in
            process.step = .refunding
            context.setTimeout(.reminder, after: .seconds(60))
            context.send(RefundPayment(order: process.order, amount: process.amount))
        },
        .on(PaymentRefunded.self, by: \.order) { process, event, context in
            process.step = .cancelled
            context.send(CancelOrder(order: process.order, reason: event.reason))
            context.end()
        },
        .onTimeout(.payment) { process, context in
            process.step = .cancelled
            context.send(CancelOrder(order: process.order, reason: "not paid"))
            context.end()
        },
        .onTimeout(.reminder) { process, context in
            context.send(RefundPayment(order: process.order, amount: process.amount))
        },
    ]
}

struct InvalidAmount: Error {}

struct PurchasePlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var order: String?
    var amount = 100
}

struct PaymentTaken: DurableDomainEvent {
    static let eventName = "payment-taken"
    var order: String
}

struct PaymentDelayed: DurableDomainEvent {
    static let eventName = "payment-delayed"
    var order: String
    var seconds: Int
}

struct Shipped: DurableDomainEvent {
    static let eventName = "shipped"
    var order: String
}

struct ShipmentFailed: DurableDomainEvent {
    static let eventName = "shipment-failed"
    var order: String
}

struct PaymentRefunded: DurableDomainEvent {
    static let eventName = "payment-refunded"
    var order: String
    var reason = "lost"
}

struct TakePayment: DurableCommand {
    static let commandName = "take-payment"
    var order: String
    var amount: Int
}

struct Ship: DurableCommand {
    static let commandName = "ship"
    var order: String
}

struct RefundPayment: DurableCommand {
    static let commandName = "refund-payment"
    var order: String
    var amount: Int
}

struct CancelOrder: DurableCommand {
    static let commandName = "cancel-order"
    var order: String
    var reason: String
}

/// The number of times that a command was carried out.
final class CarriedOut: StoredEntity {
    static let entityName = "carried-out"

    let id: String
    var count = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) { self.id = id }

    /// Counts `text` in the unit of work of the command.
    static func note(_ text: String, _ scope: any DependencyResolutionScope) async throws {
        let unitOfWork: UnitOfWork<EntityContext> = scope.resolve()
        try await unitOfWork.execute { context in
            let entity = try await context.find(CarriedOut.self, id: text) ?? CarriedOut(text)
            context.insert(entity)
            entity.count += 1
        }
    }
}
