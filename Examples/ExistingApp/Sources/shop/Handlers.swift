// SPDX-License-Identifier: Apache-2.0

import GRDB
import Headrace

// The handlers of one subscription receive the events of an order one after the other, so the confirmation precedes the note.

final class SendConfirmation: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "mails"
    static let dependencies = Dependencies().on((any Mailer).self)

    private let mailer: any Mailer

    init(scope: any DependencyResolutionScope) {
        mailer = scope.resolve()
    }

    func handle(_ event: OrderPlaced) async throws {
        try await mailer.send("Thank you for your order: \(event.item)", to: event.customer, key: messageKey)
    }
}

final class SendShippingNote: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "mails"
    static let dependencies = Dependencies().on((any Mailer).self)

    private let mailer: any Mailer

    init(scope: any DependencyResolutionScope) {
        mailer = scope.resolve()
    }

    func handle(_ event: OrderShipped) async throws {
        try await mailer.send("On its way: \(event.item)", to: event.customer, key: messageKey)
    }
}

/// The identifier of the event that is being handled, which is the same in each attempt.
private var messageKey: String {
    DeliveryContext.current?.messageID.uuidString ?? ""
}

/// Counts each order once, because its row and the acknowledgement of the event are one transaction.
final class CountSale: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "sales"
    static let dependencies = Dependencies().on(EntityContext.self).on(SalesTable.self)

    private let context: EntityContext
    private let sales: SalesTable

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
        sales = scope.resolve()
    }

    func handle(_ event: OrderPlaced) async throws {
        sales.add(event.item, context)
    }
}

/// Adds one to the count of an item, in the transaction of a context.
struct SalesTable: Sendable {
    let add: @Sendable (_ item: String, _ context: EntityContext) -> Void

    static let sqlite = SalesTable { item, context in
        context.perform { database in
            try database.execute(
                sql: "INSERT INTO sales VALUES (?, 1) ON CONFLICT (item) DO UPDATE SET count = count + 1",
                arguments: [item]
            )
        }
    }

    #if Postgres
    static let postgres = SalesTable { item, context in
        context.perform(
            sql: "INSERT INTO shop.sales VALUES ($1, 1) ON CONFLICT (item) DO UPDATE SET count = sales.count + 1",
            [.text(item)]
        )
    }
    #endif
}
