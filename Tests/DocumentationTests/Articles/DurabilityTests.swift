// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import Headrace
import Testing

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var customerId: UUID
    var orderId: UUID
}

@Resolvable
private struct SendConfirmation: HandlesDurableDomainEvent {
    static let subscriptionName = "confirmations"

    private let mailer: Mailer

    func handle(_ event: OrderPlaced) async throws {
        try await mailer.confirm(event.orderId)
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

@Suite(.timeLimit(.minutes(2))) struct DurabilityTests {
    @Test func theRelayRunsTheHandlerOfAStoredEvent() async throws {
        let store = try InMemoryStore(entities: [])
        let mailer = Mailer()
        let services = ServiceLocator()
        services.register(mailer)

        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(SendConfirmation.self)
        let relay = Relay(store: store, registrar: registrar)

        let order = UUID()
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            context.raiseEvent(OrderPlaced(customerId: UUID(), orderId: order))
        }
        async let running: Void = relay.run()
        #expect(await mailer.confirmed.first { _ in true } == order)
        relay.shutDown()
        try await running
    }
}
#endif
