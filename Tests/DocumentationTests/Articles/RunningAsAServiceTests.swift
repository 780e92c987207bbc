// SPDX-License-Identifier: Apache-2.0

#if Lifecycle && SQLite
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import Logging
import ServiceLifecycle
import Testing
import UnixSignals

/// A server that shuts down its group when it has run.
private struct Server: Service {
    let started: OneShot<Bool>

    func run() async throws {
        started.set(true)
        try await gracefulShutdown()
    }
}

private struct Health {
    var isHealthy: Bool
    var pendingCount = 0
    var deadLetterCount = 0

    init(of store: any DeliveryStore) async {
        do {
            let statistics = try await store.deliveryStatistics()
            isHealthy = true
            pendingCount = statistics.pendingCount
            deadLetterCount = statistics.deadLetterCount
        } catch {
            isHealthy = false
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct RunningAsAServiceTests {
    private func makeGroup(
        relay: Relay,
        server: some Service,
        logger: Logger,
        signals: [UnixSignal] = [.sigterm, .sigint]
    ) -> ServiceGroup {
        ServiceGroup(services: [relay, server], gracefulShutdownSignals: signals, logger: logger)
    }

    /// Runs until a signal arrives, so no test calls it.
    private func runProgram(
        container: Container,
        server: some Service,
        store: SQLiteStore,
        logger: Logger
    ) async throws {
        // A service group stops its services in reverse order: the server first.
        let relay: Relay = container.resolve()
        let group = ServiceGroup(
            services: [relay, server],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        try await group.run()
        try store.close()
    }

    @Test func aShutdownEndsTheServerAndTheRelay() async throws {
        let store = try InMemoryStore(entities: [])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let started = OneShot<Bool>()
        let group = makeGroup(
            relay: Relay(store: store, registrar: registrar),
            server: Server(started: started),
            logger: Logger(label: "examples"),
            signals: []
        )

        async let running: Void = group.run()
        _ = try await started.wait()
        await group.triggerGracefulShutdown()
        try await running

        #expect(await Health(of: store).isHealthy)
        #expect(await Health(of: store).pendingCount == 0)
    }
}
#endif
