// SPDX-License-Identifier: Apache-2.0

#if Lifecycle
import Foundation
import HeadraceCommands
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Logging
import ServiceLifecycle
import Testing

private struct SendReminder: CQDCommand, DurableCommand, Equatable {
    static let commandName = "send-reminder"
    var customerId: UUID
}

/// A server that ends when a reminder was sent.
private struct Server: Service {
    struct Closed: Error {}

    let reminders: AsyncStream<SendReminder>

    func run() async throws {
        for await _ in reminders { throw Closed() }
    }
}

@Suite(.timeLimit(.minutes(2))) struct LifecycleExamples {
    @Test func theRelayRunsBesideAServer() async throws {
        let store = try InMemoryStore(entities: [])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let (reminders, sent) = AsyncStream<SendReminder>.makeStream()
        let dispatcher = RecordingDispatcher()
        dispatcher.stub(SendReminder.self) { sent.yield($0) }
        let server = Server(reminders: reminders)
        let logger = Logger(label: "examples")
        let reminder = SendReminder(customerId: UUID())
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            _ = try context.schedule(reminder, at: Date(timeIntervalSince1970: 0))
        }

        await #expect(throws: Server.Closed.self) {
            let relay = Relay(store: store, registrar: registrar)
            relay.carryOut(SendReminder.self) { try await dispatcher.dispatch($0) }
            try await ServiceGroup(services: [server, relay], logger: logger).run()
        }

        try dispatcher.requireDispatched(reminder)
    }

    @Test func theMetricsOfTheRelayAreAService() async throws {
        let store = try InMemoryStore(entities: [])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let (reminders, sent) = AsyncStream<SendReminder>.makeStream()
        let server = Server(reminders: reminders)
        let logger = Logger(label: "examples")
        sent.yield(SendReminder(customerId: UUID()))

        await #expect(throws: Server.Closed.self) {
            let metrics = RelayMetrics(store: store)
            let relay = Relay(store: store, registrar: registrar, relayObservers: [metrics])
            try await ServiceGroup(services: [server, relay, metrics], logger: logger).run()
        }
    }
}
#endif
