// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Logging
import Testing

private struct Charge: CQDCommand {}

private final class ChargeHandler: HandlesCommand, Resolvable {
    private let notes: Notes

    init(scope: any DependencyResolutionScope) {
        notes = scope.resolve()
    }

    func handle(_ command: Charge) async throws {
        notes.note("charged")
    }
}

private struct DeadLetterAlarm: RelayObserver {
    let ring: @Sendable (String) -> Void

    func deadLettered(_ delivery: Delivery, reason: String) {
        ring(delivery.subscription)
    }
}

private struct CardCharged: DurableDomainEvent {
    static let eventName = "card-charged"
}

private struct PrintReceipt: DurableDomainEventHandler {
    struct NoPaper: Error {}

    static let subscriptionName = "receipts"

    static func handle(event: CardCharged, resolver: any DependencyResolver) async throws {
        throw NoPaper()
    }
}

private final class Card: StoredEntity {
    static let entityName = "card"

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }
}

@Suite(.timeLimit(.minutes(1))) struct ObservabilityTests {
    @Test func messagesAreLoggedMeasuredAndTraced() async throws {
        let notes = Notes()
        let builder = ContainerBuilder()
        builder.singleton { notes }

        builder.commandQueryDispatch().standard(
            commandHandlers: [ChargeHandler.self],
            middleware: [
                MessageTracingMiddleware(),
                LoggingMiddleware(failureLevel: .error),
                MessageMetricsMiddleware(),
            ]
        )

        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        try await dispatcher.dispatch(Charge())
        #expect(notes.all == ["charged"])
    }

    @Test func aDeadLetterRingsTheAlarm() async throws {
        let store = try InMemoryStore(entities: [Card.self])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(PrintReceipt.self)
        let rung = OneShot<String>()
        var configuration = Relay.Configuration()
        configuration.maximumAttempts = 1

        let alarm = DeadLetterAlarm { rung.set($0) }
        let relay = Relay(
            store: store,
            registrar: registrar,
            configuration: configuration,
            relayObservers: [alarm]
        )

        async let running: Void = relay.run()
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let card = Card(id: "visa")
            context.insert(card)
            card.raiseEvent(CardCharged())
        }
        #expect(try await rung.wait() == "receipts")
        relay.shutDown()
        try await running
        #expect(try await store.deliveryStatistics().deadLetterCount == 1)
    }
}
