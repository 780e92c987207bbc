// SPDX-License-Identifier: Apache-2.0

#if SQLite && (os(macOS) || os(Linux))
import Foundation
import Headrace
import HeadraceTesting

struct PlaceOrder: CQDCommand, Codable {
    let number: Int
}

struct PlaceOrderHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    func handle(_ command: PlaceOrder) async throws {
        try await unitOfWork.execute { context in
            let order = Order(number: command.number)
            context.insert(order)
            order.raiseEvent(OrderPlaced(order: order.id, number: order.number))
        }
    }
}

struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var order: UUID
    var number: Int
}

/// Sends a mail, and marks the order.
///
/// A crash between the two repeats the mail. If the mark is stored first, a crash loses the mail.
struct MailOrder: HandlesDurableDomainEvent, Resolvable {
    static let subscriptionName = "mails"

    private let context: EntityContext
    private let store: SQLiteStore
    private let mistake: Mistake

    init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
        store = scope.resolve()
        mistake = scope.resolve()
    }

    func handle(_ event: OrderPlaced) async throws {
        guard let order = try await context.find(Order.self, id: event.order), !order.isMailed else { return }
        if mistake == .marksFirst {
            let other = EntityContext(store)
            try await other.find(Order.self, id: event.order)?.isMailed = true
            try await other.commit([])
        }
        File("mails.txt").append("\(event.number)")
        CrashFaults.pass(.mailSent)
        if mistake != .marksFirst { order.isMailed = true }
    }
}

final class Order: StoredEntity {
    static let entityName = "order"

    let id: UUID
    let number: Int
    var isMailed = false
    var raisedEvents = RaisedEvents()

    init(number: Int) {
        id = UUID()
        self.number = number
    }
}
#endif
