// SPDX-License-Identifier: Apache-2.0

#if Macros
import Headrace
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

private final class Order: StoredEntity {
    static let entityName = "order"

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }

    func place() {
        raiseEvent(OrderPlaced(order: id))
    }

    func ship() {
        raiseEvent(OrderShipped(order: id))
    }
}

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    let order: String
}

private struct OrderShipped: DurableDomainEvent {
    static let eventName = "order-shipped"
    let order: String
}

private final class OrderLine: StoredEntity {
    static let entityName = "order-line"

    let id: String
    var states: [String] = []
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

@Resolvable
private struct ShowPlacedOrder: HandlesDurableDomainEvent {
    static let subscriptionName = "order-list"

    private let context: EntityContext

    func handle(_ event: OrderPlaced) async throws {
        let line = OrderLine(event.order)
        line.states = ["placed"]
        context.insert(line)
    }
}

@Resolvable
private struct ShowShippedOrder: HandlesDurableDomainEvent {
    static let subscriptionName = "order-list"

    private let context: EntityContext

    func handle(_ event: OrderShipped) async throws {
        try await context.find(OrderLine.self, id: event.order)?.states.append("shipped")
    }
}

/// Fails the first delivery.
private struct FailOnce: Middleware {
    private let calls = ConditionVariable(0)

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        calls.change { $0 += 1 }
        if calls.value == 1 { throw Storm() }
        return try await next(message)
    }
}

private struct Storm: Error {}

private enum Separate {
    /// Returns when the other handler has run.
    struct ShowPlacedOrder: DurableDomainEventHandler {
        static let subscriptionName = "placed-orders"

        static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
            let journal: DeliveryJournal = try resolver.require()
            await journal.wait("shipped")
            journal.note("placed")
        }
    }

    struct ShowShippedOrder: DurableDomainEventHandler {
        static let subscriptionName = "shipped-orders"

        static func handle(event: OrderShipped, resolver: any DependencyResolver) async throws {
            try resolver.require(DeliveryJournal.self).note("shipped")
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct ProjectionsInOrderTests {
    private let store: InMemoryStore
    private let journal = DeliveryJournal()
    private let services = ServiceLocator()
    private let registrar: DomainEventHandlerRegistrar

    init() throws {
        store = try InMemoryStore(entities: [Order.self, OrderLine.self])
        services.register(journal)
        registrar = DomainEventHandlerRegistrar(resolver: services)
    }

    private func placeAndShip(_ id: String) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let order = Order(id)
            context.insert(order)
            order.place()
        }
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            try await context.find(Order.self, id: id)?.ship()
        }
    }

    @Test func theShippedOrderWaitsForTheRetryOfThePlacedOrder() async throws {
        registrar.register(ShowPlacedOrder.self)
        registrar.register(ShowShippedOrder.self)
        try await placeAndShip("7")
        var configuration = Relay.Configuration.withLongLeases
        configuration.backoff = Backoff(base: .zero)
        let relay = Relay(
            store: store,
            registrar: registrar,
            configuration: configuration,
            middleware: [FailOnce()],
            relayObservers: [journal]
        )

        try await withRelay(relay) { await journal.wait(for: 2, "delivered") }

        #expect(journal.all == ["failed in order-list", "delivered to order-list", "delivered to order-list"])
        let line = try await EntityContext(store).find(OrderLine.self, id: "7")
        #expect(line?.states == ["placed", "shipped"])
    }

    @Test func handlersWithTwoSubscriptionsHaveNoCommonOrder() async throws {
        registrar.register(Separate.ShowPlacedOrder.self)
        registrar.register(Separate.ShowShippedOrder.self)
        try await placeAndShip("7")
        let relay = Relay(
            store: store,
            registrar: registrar,
            configuration: .withLongLeases,
            relayObservers: [journal]
        )

        try await withRelay(relay) { await journal.wait(for: 2, "delivered") }

        #expect(journal.all.filter { !$0.hasPrefix("delivered") } == ["shipped", "placed"])
    }

    @Test func aDeadLetterIsAGapInTheOrder() async throws {
        registrar.register(ShowPlacedOrder.self)
        registrar.register(ShowShippedOrder.self)
        try await placeAndShip("7")
        var configuration = Relay.Configuration.withLongLeases
        configuration.maximumAttempts = 1
        let relay = Relay(
            store: store,
            registrar: registrar,
            configuration: configuration,
            middleware: [FailOnce()],
            relayObservers: [journal]
        )

        try await withRelay(relay) { await journal.wait("delivered") }

        #expect(journal.all == ["dead letter of order-list", "delivered to order-list"])
        #expect(try await EntityContext(store).find(OrderLine.self, id: "7") == nil)
    }
}
#endif
