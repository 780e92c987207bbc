// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Testing

// MARK: - Entities

private final class Customer: StoredEntity {
    static let entityName = "customer"

    let id: UUID
    private(set) var name = ""
    private(set) var orders: [UUID] = []
    var raisedEvents = RaisedEvents()

    init(id: UUID) {
        self.id = id
    }

    func rename(to name: String) {
        self.name = name
    }

    func placeOrder(_ order: Order) {
        orders.append(order.id)
        raiseEvent(OrderPlaced(customerId: id, orderId: order.id))
    }
}

private final class Order: StoredEntity {
    static let entityName = "order"
    static var indexes: [EntityIndex<Order>] { [.customer, .tag, .placedAt] }

    let id: UUID
    let customerId: UUID
    let placedAt: Date
    let tags: [String]
    var raisedEvents = RaisedEvents()

    init(of customerId: UUID, placedAt seconds: Double = 0, tags: [String] = []) {
        id = .version7()
        self.customerId = customerId
        self.tags = tags
        placedAt = Date(timeIntervalSinceReferenceDate: seconds)
    }
}

extension EntityIndex<Order> {
    fileprivate static var placedAt: Self { EntityIndex("placedAt") { $0.placedAt } }
}

extension EntityIndex<Order> {
    fileprivate static var customer: Self { EntityIndex("customer") { $0.customerId } }
    fileprivate static var tag: Self { EntityIndex("tag", each: { $0.tags }) }
}

private final class Account: StoredEntity {
    static let entityName = "account"
    static var indexes: [EntityIndex<Account>] { [.side] }

    let id: String
    let side: String
    let cents: Int
    var raisedEvents = RaisedEvents()

    init(id: String, side: String, cents: Int) {
        self.id = id
        self.side = side
        self.cents = cents
    }
}

extension EntityIndex<Account> {
    fileprivate static var side: Self { EntityIndex("side") { $0.side } }
}

extension [Account] {
    fileprivate var total: Int { map(\.cents).reduce(0, +) }
}

private struct Missing: Error, Equatable {
    let id: UUID

    init(_ id: UUID) {
        self.id = id
    }
}

private enum ByHand {
    final class Customer: HasDomainEvents {
        var raisedEvents = RaisedEvents()
    }
}

@Suite struct EntityExamples {
    private let store: InMemoryStore
    private let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
    private let id = UUID.version7()

    init() throws {
        store = try InMemoryStore(entities: [Account.self, Customer.self, Order.self])
    }

    private func insert(_ entities: any StoredEntity...) async throws {
        let context = EntityContext(store)
        for entity in entities { context.insert(entity) }
        try await context.commit([])
    }

    @Test func changedAndInsertedEntitiesAreStored() async throws {
        try await insert(Customer(id: id))

        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let customer = try await context.find(Customer.self, id: id)
            customer?.rename(to: "Ada")  // saved, as it was changed
            context.insert(Order(of: id))
        }

        let context = EntityContext(store)
        #expect(try await context.find(Customer.self, id: id)?.name == "Ada")
        #expect(try await context.fetch(Order.self).map(\.customerId) == [id])
    }

    @Test func aUnitOfWorkStoresTheChangeAndItsEvent() async throws {
        try await insert(Customer(id: id))
        let order = Order(of: id)

        let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))
        try await unitOfWork.execute { context in
            guard let customer = try await context.find(Customer.self, id: id) else { throw Missing(id) }
            customer.placeOrder(order)
        }

        #expect(try await EntityContext(store).find(Customer.self, id: id)?.orders == [order.id])
        let record = try #require(try await store.events(after: 0, limit: 10).first)
        var events = EventRegistry()
        try events.register(OrderPlaced.self)
        let event = try events.decode(record.event)
        #expect((event as? OrderPlaced)?.orderId == order.id)
    }

    @Test func ordersAreFetchedByTheirIndexes() async throws {
        try await insert(Order(of: id, placedAt: 1), Order(of: id, placedAt: 2), Order(of: .version7(), tags: ["gift"]))
        let context = EntityContext(store)

        let orders = try await context.fetch(Order.self, where: [.equals(.customer, id)])
        #expect(orders.count == 2)
        #expect(try await context.fetch(Order.self, where: [.equals(.tag, "gift")]).count == 1)

        let latest = try await context.fetch(
            Order.self, where: [.equals(.customer, id)], orderedBy: .descending(.placedAt), limit: 10
        )
        #expect(latest.map(\.placedAt.timeIntervalSinceReferenceDate) == [2, 1])
    }

    @Test func theOrdersOfACustomerAreFoundWithOneRead() async throws {
        let customer = Customer(id: id)
        for order in [Order(of: id), Order(of: id)] {
            customer.placeOrder(order)
            try await insert(order)
        }
        let context = EntityContext(store)

        let orders = try await context.find(Order.self, ids: customer.orders)

        #expect(orders.map(\.id) == customer.orders)
    }

    @Test func pagesContainEachOrderOnce() async throws {
        for number in 1...250 { try await insert(Order(of: id, placedAt: Double(number))) }

        let lines = try await printed { try await printOrders(of: EntityContext(store)) }

        #expect(lines.count == 250)
        #expect(Set(lines).count == 250)
    }

    private func printOrders(of context: EntityContext) async throws {
        var cursor: PageCursor?
        repeat {
            let page = try await context.page(Order.self, orderedBy: .ascending(.placedAt), after: cursor, limit: 100)
            for order in page.entities { print(order.id) }
            cursor = page.next
        } while cursor != nil
    }

    @Test func aReadUsesOneSnapshotOfTheStore() async throws {
        try await insert(
            Account(id: "rent", side: "debit", cents: 700),
            Account(id: "food", side: "debit", cents: 300),
            Account(id: "cash", side: "credit", cents: 1000)
        )

        let isBalanced = try await store.read { context in
            let debits = try await context.fetch(Account.self, where: [.equals(.side, "debit")])
            let credits = try await context.fetch(Account.self, where: [.equals(.side, "credit")])
            return debits.total == credits.total
        }

        #expect(isBalanced)
    }

    @Test func anEntityRaisesAnEventWithOneLine() {
        let customer = ByHand.Customer()

        customer.raiseEvent(OrderPlaced(customerId: id, orderId: id))

        #expect(customer.raisedEvents.count == 1)
    }
}

// MARK: - Events

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var customerId: UUID
    var orderId: UUID
}

private enum Migrated {
    struct OrderPlaced: DurableDomainEvent {
        static let eventName = "order-placed"
        static let eventVersion = 2
        static let eventMigrations = [
            JSONMigration(from: 1) { event in
                event["currency"] = .string("EUR")
            }
        ]
        var orderId: UUID
        var currency: String
    }
}

private struct OrderPlacedHandler: DomainEventHandler {
    static let isPostCommit = true

    static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
        try resolver
            .require(NotificationService.self)
            .notifyCustomer(customerId: event.customerId, message: "Your order is being processed.")
    }
}

private struct SendConfirmation: DurableDomainEventHandler {
    static let subscriptionName = "confirmations"

    static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
        try await resolver.require(Mailer.self).confirm(event.orderId)
    }
}

private struct FailingHandler: DurableDomainEventHandler {
    static let subscriptionName = "failing"

    static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
        throw Missing(event.orderId)
    }
}

private struct NotificationService: Sendable {
    let notes: Notes

    func notifyCustomer(customerId: UUID, message: String) {
        notes.note("\(customerId): \(message)")
    }
}

private final class Mailer: Sendable {
    let confirmed: AsyncStream<UUID>
    private let outbox: AsyncStream<UUID>.Continuation

    init() {
        (confirmed, outbox) = AsyncStream.makeStream()
    }

    func confirm(_ order: UUID) async throws {
        outbox.yield(order)
    }
}

/// Reports each dead letter.
private struct DeadLetterObserver: RelayObserver {
    let deadLetters: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (deadLetters, continuation) = AsyncStream.makeStream()
    }

    func deadLettered(_ delivery: Delivery, reason: String) {
        continuation.yield()
    }
}

@Suite(.timeLimit(.minutes(2))) struct EventExamples {
    private let id = UUID.version7()
    private let services = ServiceLocator()
    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Customer.self, Order.self])
    }

    /// Inserts a new customer with an order, and passes the events to `registrar`.
    private func placeOrder(_ registrar: DomainEventHandlerRegistrar) async throws -> Order {
        let order = Order(of: id)
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let customer = Customer(id: id)
            customer.placeOrder(order)
            context.insert(customer)
        }
        return order
    }

    @Test func aHandlerRunsAfterTheCommit() async throws {
        let notes = Notes()
        services.register(NotificationService(notes: notes))
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(OrderPlacedHandler.self)

        _ = try await placeOrder(registrar)

        #expect(notes.all == ["\(id): Your order is being processed."])
    }

    @Test func theRelayDeliversStoredEvents() async throws {
        let mailer = Mailer()
        services.register(mailer)

        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(SendConfirmation.self)
        let relay = Relay(store: store, registrar: registrar)

        async let running: Void = relay.run()
        let order = try await placeOrder(registrar)
        #expect(await mailer.confirmed.first { _ in true } == order.id)
        relay.shutDown()
        try await running
    }

    @Test func failedDeliveriesAreListedAsDeadLetters() async throws {
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(FailingHandler.self)
        let observer = DeadLetterObserver()
        var configuration = Relay.Configuration()
        configuration.maximumAttempts = 1
        let relay = Relay(
            store: store,
            registrar: registrar,
            configuration: configuration,
            relayObservers: [observer]
        )
        async let running: Void = relay.run()
        let order = try await placeOrder(registrar)
        _ = await observer.deadLetters.first { _ in true }
        relay.shutDown()
        try await running

        let lines = try await printed {
            let deadLetters = DeadLetters(in: store)
            for letter in try await deadLetters.page() {
                print(letter.id, letter.subscription, letter.reason)
            }
            try await deadLetters.replay([42])
        }

        #expect(lines.count == 1)
        #expect(lines.first?.contains("failing") == true)
        #expect(lines.first?.contains("\(Missing(order.id))") == true)
    }

    @Test func anEventOfVersionOneIsDecodedAsVersionTwo() throws {
        var events = EventRegistry()
        try events.register(Migrated.OrderPlaced.self)
        let stored = NewEvent(
            id: UUID(),
            name: "order-placed",
            version: 1,
            stream: nil,
            recordedAt: Date(timeIntervalSince1970: 0),
            json: Data(#"{"orderId":"\#(id.uuidString)"}"#.utf8)
        )

        let event = try #require(try events.decode(stored) as? Migrated.OrderPlaced)

        #expect(event.orderId == id)
        #expect(event.currency == "EUR")
    }

    @Test func mailIsSentExceptInAReplay() async throws {
        struct Mail {
            let notes = Notes()

            func send(_ text: String) async throws { notes.note(text) }
        }
        let (mail, receipt) = (Mail(), "Paid.")

        if DeliveryContext.current?.isReplay != true { try await mail.send(receipt) }

        #expect(mail.notes.all == ["Paid."])
    }
}
