//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import Foundation
import Headrace
import Synchronization
import Testing

// The example of the README, with the same text.

@DomainEntity
private final class Customer: StoredEntity {
    static let entityName = "customer"
    let id: UUID
    private(set) var orders: [UUID] = []
    init(id: UUID) { self.id = id }
    func place(_ order: UUID) {
        orders.append(order)
        raiseEvent(OrderPlaced(customerId: id, orderId: order))
    }
}

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var customerId: UUID
    var orderId: UUID
}

func place(_ order: UUID, for id: UUID, in store: any EntityStore, events: DomainEventHandlerRegistrar) async throws {
    let context = EntityContext(store)
    try await UnitOfWork(delegator: events, context: context).execute { context in
        try await context.find(Customer.self, id: id)?.place(order)  // stored with its event, or not at all
    }
}

private struct OrderPlacedHandler: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
        resolver.resolve(NotificationService.self).notify(event.customerId)
    }
}

private final class NotificationService: Sendable {
    private let notified = Mutex<[UUID]>([])

    var customers: [UUID] { notified.withLock(\.self) }

    func notify(_ customer: UUID) { notified.withLock { $0.append(customer) } }
}

@Suite struct ReadmeExampleTests {
    @Test func theReadmeExampleStoresTheChangeAndItsEventAndHandlesIt() async throws {
        let services = ServiceLocator()
        let notifications = NotificationService()
        services.register(notifications)
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(OrderPlacedHandler.self)
        let store = try InMemoryStore(entities: [Customer.self])
        let (id, order) = (UUID.version7(), UUID.version7())
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            context.insert(Customer(id: id))
        }

        try await place(order, for: id, in: store, events: registrar)

        let saved = try await EntityContext(store).find(Customer.self, id: id)
        #expect(saved?.orders == [order])
        #expect(notifications.customers == [id])
        #expect(try await store.events(after: 0, limit: 10).map(\.event.name) == ["order-placed"])
    }
}
#endif
