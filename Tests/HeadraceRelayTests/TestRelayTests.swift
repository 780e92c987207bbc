// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

/// A relay that a test waits for, on a clock that the test moves.
@Suite(.timeLimit(.minutes(2))) struct TestRelayTests {
    private let store: InMemoryStore
    private let registrar: DomainEventHandlerRegistrar
    private let desk = Desk()

    init() throws {
        store = try InMemoryStore(entities: [Balance.self])
        let services = ServiceLocator()
        services.register(desk)
        registrar = DomainEventHandlerRegistrar(resolver: services)
    }

    private struct Remind: DurableCommand {
        static let commandName = "remind"
        var text: String
        var isLast = true
    }

    private nonisolated(nonsending) func execute(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Void
    ) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute(body)
    }

    /// A relay that notes each reminder with its date, and schedules another one after a minute if it isn't the last.
    private func relay(
        on store: (any DeliveryStore)? = nil,
        failing: @escaping @Sendable (Int) -> Bool = { _ in false },
        _ configure: (inout Relay.Configuration) -> Void = { _ in }
    ) -> Relay {
        var configuration = Relay.Configuration()
        configure(&configuration)
        let relay = Relay(
            store: store ?? self.store, registrar: registrar, configuration: configuration, relayObservers: [desk])
        let (desk, registrar, base) = (desk, registrar, self.store)
        relay.carryOut(Remind.self) { command in
            let second = Int(SystemValues.current.date().timeIntervalSinceReferenceDate)
            if failing(DeliveryContext.current?.attempt ?? 0) { throw Failure() }
            desk.note("\(command.text) at \(second)")
            if command.isLast { return }
            try await UnitOfWork(delegator: registrar, context: EntityContext(base)).execute { context in
                _ = try context.schedule(Remind(text: "again"), after: .seconds(60))
            }
        }
        return relay
    }

    private var reminders: [String] { desk.lines.filter { $0.contains(" at ") } }

    @Test func aReminderIsHandledAtItsTimeAndNotBefore() async throws {
        try await TestRelay.run(relay()) { relay in
            try await execute { try $0.schedule(Remind(text: "one"), after: .seconds(900)) }
            try await relay.advance(by: .seconds(900) - .milliseconds(1))
            #expect(reminders == [])
            try await relay.advance(by: .milliseconds(1))
            #expect(reminders == ["one at 900"])
        }
    }

    @Test func aStepStopsAtEachTimeAtWhichSomethingIsDue() async throws {
        try await TestRelay.run(relay()) { relay in
            try await execute { context in
                try context.schedule(Remind(text: "two", isLast: false), after: .seconds(100))
                try context.schedule(Remind(text: "one"), after: .seconds(10))
            }
            try await relay.advance(by: .seconds(3_600))
            #expect(reminders == ["one at 10", "two at 100", "again at 160"])
            #expect(relay.clock.date == Date(timeIntervalSinceReferenceDate: 3_600))
        }
    }

    @Test func aCommitThatIsStoredBeforeTheRelayRunsIsCovered() async throws {
        try await SystemValues.withCurrent(.test()) {
            try await execute { try $0.schedule(Remind(text: "one"), after: .zero) }
        }

        try await TestRelay.run(relay()) { relay in
            try await relay.untilIdle()
            #expect(reminders == ["one at 0"])
        }
    }

    @Test func retriesTakePlaceWhileTheClockAdvances() async throws {
        try await TestRelay.run(relay(failing: { $0 < 4 })) { relay in
            try await execute { try $0.schedule(Remind(text: "one"), after: .zero) }
            let error = await #expect(throws: RelayError.self) { try await relay.untilIdle() }
            #expect(error?.code == .handlerFailed)
            #expect(desk.lines == ["failed \(ScheduledMessage.subscription) attempt 1"])
            // The attempts that fail are followed by one that succeeds.
            try await relay.advance(by: .seconds(3_600))
            #expect(reminders.count == 1)
            #expect(desk.lines.count { $0.hasPrefix("failed") } == 3)
        }
    }

    @Test func aHandlerThatFailsEachTimeFailsTheTestAfterTheWholeStep() async throws {
        try await TestRelay.run(relay(failing: { _ in true }) { $0.maximumAttempts = 3 }) { relay in
            let start = relay.clock.date
            try await execute { try $0.schedule(Remind(text: "one"), after: .seconds(60)) }
            let error = await #expect(throws: RelayError.self) { try await relay.advance(by: .seconds(3_600)) }

            #expect(
                error?.message == """
                    A handler has failed. To fix, correct the handler, or expect this error in the test. The last attempts: \
                    'remind' for 'headrace.scheduled': Failure(text: "failed")
                    """
            )
            #expect(relay.clock.date == start.addingTimeInterval(3_600))
            // Nothing has failed since.
            try await relay.advance(by: .seconds(3_600))
        }
    }

    @Test func observersAreNotifiedBeforeTheRelayIsIdle() async throws {
        try await TestRelay.run(relay()) { relay in
            for number in 1...50 {
                try await execute { try $0.schedule(Remind(text: "one"), after: .zero) }
                try await relay.untilIdle()
                #expect(desk.lines.count { $0.hasPrefix("delivered") } == number)
            }
        }
    }

    @Test func deliveriesThatHandlersCreateAreCovered() async throws {
        registrar.register(Chain.self)
        try await TestRelay.run(relay()) { relay in
            try await execute { context in
                let balance = Balance("source")
                context.insert(balance)
                balance.raiseEvent(Deposited(account: "a", amount: 30))
            }
            try await relay.untilIdle()

            #expect(desk.lines.count { $0.hasPrefix("chain") } == 30)
            #expect(try await store.deliveryStatistics().pendingCount == 0)
        }
    }

    @Test func manyCallersWaitAtOnce() async throws {
        try await TestRelay.run(relay()) { relay in
            try await execute { context in
                for number in 1...20 { try context.schedule(Remind(text: "\(number)"), after: .zero) }
            }
            try await withThrowingTaskGroup { group in
                for _ in 1...20 { group.addTask { try await relay.untilIdle() } }
                try await group.waitForAll()
            }

            #expect(reminders.count == 20)
        }
    }

    @Test func aFailureOfTheStoreEndsTheWait() async throws {
        let broken = FailingLeases(store)
        let error = await #expect(throws: StoreError.self) {
            try await TestRelay.run(relay(on: broken)) { try await $0.untilIdle() }
        }

        #expect(error?.code == .unusable)
    }

    @Test func aRelayThatHasEndedThrowsATypedError() async throws {
        let relay = relay()
        try await TestRelay.run(relay) { try await $0.untilIdle() }

        let error = await #expect(throws: RelayError.self) { try await relay.untilIdle() }

        #expect(error?.code == .ended)
    }

    @Test func aRelayThatCanNotRunFailsTheTestWithItsReason() async throws {
        let relay = relay(failing: { _ in false }) { $0.idempotencyRetention = .seconds(1) }

        let error = await #expect(throws: RelayError.self) {
            try await TestRelay.run(relay) { try await $0.untilIdle() }
        }

        #expect(error?.code == .retentionTooShort)
    }

    @Test func aCancelledCallerDoesNotWait() async throws {
        let relay = relay()
        let waiting = Task { try await relay.untilIdle() }

        waiting.cancel()

        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

/// Raises the next event until the amount is 1.
private struct Chain: DurableDomainEventHandler {
    static let subscriptionName = "chain"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        try await resolver.resolve(Desk.self).perform("chain", event)
        if event.amount == 1 { return }
        let context = resolver.resolve(EntityContext.self)
        let balance = Balance("link \(event.amount)")
        context.insert(balance)
        balance.raiseEvent(Deposited(account: "a", amount: event.amount - 1))
    }
}

/// A store that can't lease.
private final class FailingLeases: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        throw StoreError(code: .unusable, message: "The disk is gone.")
    }
}
