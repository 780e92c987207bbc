// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

/// Deliveries to handler instances.
@Suite(.timeLimit(.minutes(2))) struct DurableInstanceHandlerTests {
    @Test func aDeliveryIsHandledInTheUnitOfWorkOfTheRelay() async throws {
        let bench = try RelayBench()
        let container = container { builder in
            builder.singleton { bench.desk }
            builder.domainEvents(handlers: [BookDeposit.self])
        }

        try await withRelay(relay(of: bench, container)) {
            try await deposit(5, bench, container)
            await bench.desk.wait(for: 1, "delivered")
        }

        #expect(bench.desk.lines == ["instance 5", "delivered instance"])
        #expect(try await bench.balance("a") == 5)
    }

    @Test func aMissingDependencyCostsADeliveryAndNotTheProcess() async throws {
        let bench = try RelayBench()
        let container = container { $0.domainEvents(handlers: [BookDeposit.self]) }

        try await withRelay(relay(of: bench, container) { $0.maximumAttempts = 2 }) {
            try await deposit(5, bench, container)
            await bench.desk.wait(for: 1, "failed instance attempt 1")
            await bench.clock.waitForSleepers(2)
            bench.clock.advance(by: .seconds(1))
            await bench.desk.wait(for: 1, "dead instance")
        }

        let letters = try await DeadLetters(in: bench.store).page()
        #expect(letters.map(\.attempts) == [2])
        #expect(letters.first?.reason.contains("needed by HeadraceRelayTests.BookDeposit. To fix, add") == true)
    }

    @Test func aMissingRequiredDependencyOfAStaticHandlerCostsADelivery() async throws {
        let bench = try RelayBench()
        let container = container { $0.domainEvents(staticHandlers: [RequiringMail.self]) }

        try await withRelay(relay(of: bench, container) { $0.maximumAttempts = 1 }) {
            try await deposit(5, bench, container)
            await bench.desk.wait(for: 1, "dead mail")
        }

        let letters = try await DeadLetters(in: bench.store).page()
        #expect(letters.first?.reason.hasPrefix("Nothing is registered for 'HeadraceRelayTests.Desk'.") == true)
    }

    private func relay(
        of bench: RelayBench,
        _ container: Container,
        _ configure: (inout Relay.Configuration) -> Void = { _ in }
    ) -> Relay {
        var configuration = Relay.Configuration()
        configuration.pollJitter = 0
        configure(&configuration)
        return Relay(
            store: bench.store,
            registrar: container.resolve(),
            configuration: configuration,
            relayObservers: [bench.desk],
            clock: bench.clock,
            wallClock: bench.wallClock
        )
    }

    private nonisolated(nonsending) func deposit(
        _ amount: Int,
        _ bench: RelayBench,
        _ container: Container
    ) async throws {
        let registrar = container.resolve(DomainEventHandlerRegistrar.self)
        try await UnitOfWork(delegator: registrar, context: EntityContext(bench.store)).execute { context in
            let balance = Balance("source")
            context.insert(balance)
            balance.raiseEvent(Deposited(account: "a", amount: amount))
        }
    }
}
