// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import Synchronization
import Testing

// Define the domain.
@DomainEntity
final class Customer: StoredEntity {
    static let entityName = "customer"

    let id: UUID
    var orders: [UUID] = []

    init(id: UUID) {
        self.id = id
    }

    func placeOrder(_ order: Order) {
        orders.append(order.id)

        raiseEvent(OrderPlaced(customerId: id, orderId: order.id))
    }
}

final class Order: Sendable {
    let id = UUID()
}

struct OrderPlaced: DomainEvent {
    var customerId: UUID
    var orderId: UUID
}

// Define the event handlers.
struct OrderPlacedHandler: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: OrderPlaced, resolver: DependencyResolver) async throws {
        resolver
            .resolve(NotificationService.self)
            .notifyCustomer(
                customerId: event.customerId,
                message: "Your Order #\(event.orderId) is being processed."
            )
    }
}

/// A pre-commit handler, which is the default.
struct OrderCheck: DomainEventHandler {
    static func handle(event: OrderPlaced, resolver: DependencyResolver) async throws {
        try resolver.resolve(StockService.self).take()
    }
}

struct FailingNewsletter: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: OrderPlaced, resolver: DependencyResolver) async throws {
        throw OutOfReach()
    }
}

// Define the services.
final class NotificationService: Sendable {
    private let sent = Mutex<[String]>([])

    var messages: [String] { sent.withLock { $0 } }

    func notifyCustomer(customerId: UUID, message: String) {
        sent.withLock { $0.append("Greetings, valued customer \(customerId).\n\n\(message)\n\nThank you.") }
    }
}

final class StockService: Sendable {
    private let isInStock: Bool

    init(isInStock: Bool) {
        self.isInStock = isInStock
    }

    func take() throws {
        if !isInStock { throw SoldOut() }
    }
}

struct OutOfReach: Error {}

struct SoldOut: Error {}

@Suite(.timeLimit(.minutes(1))) struct DomainDrivenDesignTests {
    private let id = UUID()
    private let notifications = NotificationService()

    @Test func anOrderIsStoredAndTheCustomerIsNotifiedAfterwards() async throws {
        let modelContext = EntityContext(try await makeStore())

        let order = try await example(modelContext)

        let orders = try await modelContext.find(Customer.self, id: id)?.orders
        #expect(orders == [order])
        #expect(
            notifications.messages == [
                "Greetings, valued customer \(id).\n\nYour Order #\(order) is being processed.\n\nThank you."
            ]
        )
    }

    @Test func aFailingHandlerBeforeTheCommitRollsBack() async throws {
        let modelContext = EntityContext(try await makeStore())

        await #expect(throws: SoldOut.self) { try await example(modelContext, isInStock: false) }

        let orders = try await modelContext.find(Customer.self, id: id)?.orders
        #expect(orders == [])
        #expect(notifications.messages.isEmpty)
    }

    /// Places an order, and returns its ID.
    nonisolated(nonsending) private func example(
        _ modelContext: EntityContext,
        isInStock: Bool = true
    ) async throws -> UUID {
        let serviceLocator: ServiceLocator = .init()
        serviceLocator.register(notifications)
        serviceLocator.register(StockService(isInStock: isInStock))

        let registrar: DomainEventHandlerRegistrar = .init(resolver: serviceLocator)

        registrar.register(FailingNewsletter.self)
        registrar.register(OrderPlacedHandler.self)
        registrar.register(OrderCheck.self)

        let unitOfWork: UnitOfWork<EntityContext> = .init(delegator: registrar, context: modelContext)

        return try await unitOfWork.execute { context in
            guard let customer = try await context.find(Customer.self, id: id) else { throw OutOfReach() }

            let pretendNewOrder: Order = .init()

            customer.placeOrder(pretendNewOrder)
            return pretendNewOrder.id
        }
    }

    private func makeStore() async throws -> InMemoryStore {
        let store = try InMemoryStore(entities: [Customer.self])
        let nobody = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        try await UnitOfWork(delegator: nobody, context: EntityContext(store)).execute { context in
            context.insert(Customer(id: id))
        }
        return store
    }
}
