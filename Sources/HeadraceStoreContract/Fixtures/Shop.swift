// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceResolution
import Synchronization

/// The domain of the checks: customers place orders and receive notifications.
enum Shop {
    static let entities: [any StoredEntity.Type] = [Customer.self, Order.self]

    /// Returns the handlers of the shop, which send to `notifications`.
    static func registrar(telling notifications: Notifications) -> DomainEventHandlerRegistrar {
        let services = ServiceLocator()
        services.register(notifications)
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(CountOrder.self)
        registrar.register(NotifyCustomer.self)
        return registrar
    }

    final class Customer: StoredEntity {
        static let entityName = "shop-customer"
        static var indexes: [EntityIndex<Customer>] {
            [.email, EntityIndex("orderCount") { $0.orderCount }]
        }

        let id: String
        var email: String
        var orderCount = 0
        var raisedEvents = RaisedEvents()

        init(id: String, email: String) {
            self.id = id
            self.email = email
        }

        func placeOrder(_ order: Order) {
            raiseEvent(OrderPlaced(customerID: id, orderID: order.id))
        }
    }

    final class Order: StoredEntity {
        static let entityName = "shop-order"
        static var indexes: [EntityIndex<Order>] { [EntityIndex("customer") { $0.customerID }] }

        let id: String
        let customerID: String
        var raisedEvents = RaisedEvents()

        init(id: String, customerID: String) {
            self.id = id
            self.customerID = customerID
        }
    }

    struct OrderPlaced: DurableDomainEvent, Equatable {
        static let eventName = "order-placed"
        var customerID: String
        var orderID: String
    }

    /// Raised for a customer's third order.
    struct BecameRegular: DurableDomainEvent {
        static let eventName = "became-regular"
        var customerID: String
    }

    struct OrderRefused: Error {}

    /// Counts the orders of a customer before the commit, and refuses orders with the ID "refused".
    struct CountOrder: DomainEventHandler {
        static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
            if event.orderID == "refused" { throw OrderRefused() }
            let context = resolver.resolve(EntityContext.self)
            guard let customer = try await context.find(Customer.self, id: event.customerID) else { return }
            customer.orderCount += 1
            if customer.orderCount == 3 {
                customer.raiseEvent(BecameRegular(customerID: customer.id))
            }
        }
    }

    struct NotifyCustomer: DomainEventHandler {
        static let isPostCommit = true

        static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
            resolver.resolve(Notifications.self).send("Your order #\(event.orderID) is being processed.")
        }
    }

    final class Notifications: Sendable {
        private let messages = Mutex<[String]>([])

        var sent: [String] { messages.withLock { $0 } }

        func send(_ message: String) {
            messages.withLock { $0.append(message) }
        }
    }
}

extension EntityIndex<Shop.Customer> {
    static var email: Self { EntityIndex("email", unique: true) { $0.email } }
}
