// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct SchedulingTests {
    private let bench: RelayBench

    init() throws {
        bench = try RelayBench()
    }

    private struct Remind: DurableCommand {
        static let commandName = "remind"
        var text: String
    }

    private nonisolated(nonsending) func execute(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Void
    ) async throws {
        try await UnitOfWork(delegator: bench.registrar, context: EntityContext(bench.store)).execute(body)
    }

    private func reminding(_ relay: Relay) -> Relay {
        let (store, desk, registrar) = (bench.store, bench.desk, bench.registrar)
        relay.carryOut(Remind.self) { command in
            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                context.insert(Balance(command.text))
            }
            desk.note("reminded \(command.text)")
        }
        return relay
    }

    @Test func aScheduledCommandTakesEffectAtItsTime() async throws {
        try await execute { context in
            try context.schedule(Remind(text: "later"), at: RelayBench.epoch.addingTimeInterval(10))
            try context.schedule(Remind(text: "soon"), at: RelayBench.epoch.addingTimeInterval(2))
        }

        try await withRelay(reminding(bench.relay())) {
            for second in 1...10 {
                await bench.clock.waitForSleepers(2)
                if second == 2 { #expect(bench.desk.lines == []) }
                bench.clock.advance(by: .seconds(1))
                if second == 2 { await bench.desk.wait(for: 1, "delivered") }
            }
            await bench.desk.wait(for: 2, "delivered")
        }

        #expect(bench.desk.lines.filter { $0.hasPrefix("reminded") } == ["reminded soon", "reminded later"])
        #expect(try await bench.balance("soon") == 0)
    }

    @Test func aTimeoutOfTheRelayStopsAScheduledCommand() async throws {
        let (clock, desk) = (bench.clock, bench.desk)
        let relay = Relay(
            store: bench.store,
            registrar: bench.registrar,
            middleware: [TimeoutMiddleware(.seconds(1), clock: clock)],
            relayObservers: [desk],
            clock: clock,
            wallClock: bench.wallClock
        )
        relay.carryOut(Remind.self) { _ in
            desk.note("began")
            await untilCancelled()
            throw CancellationError()
        }
        try await execute { try $0.schedule(Remind(text: "never"), at: RelayBench.epoch) }

        try await withRelay(relay) {
            await desk.wait(for: 1, "began")
            // Three tasks sleep: the timeout, and the relay's renewal and polling.
            await clock.waitForSleepers(3)
            clock.advance(by: .seconds(1))
            await desk.wait(for: 1, "failed")
        }

        #expect(desk.lines == ["began", "failed \(ScheduledMessage.subscription) attempt 1"])
    }

    /// The kinds of deliveries: an event of the log, a scheduled event, and a scheduled command.
    @Test func middlewareAndObserversOfTheRelaySeeEachKindOfDeliveryOnce() async throws {
        let desk = bench.desk
        let seen = Desk()
        bench.registrar.register(Mail.self)
        let relay = Relay(
            store: bench.store,
            registrar: bench.registrar,
            middleware: [Counting { name in seen.note("middleware \(name)") }],
            observers: [Counting { name in seen.note("observer \(name)") }],
            relayObservers: [desk],
            clock: bench.clock,
            wallClock: bench.wallClock
        )
        try await execute { try $0.schedule(Remind(text: "b"), at: RelayBench.epoch) }

        try await withRelay(reminding(relay)) {
            await desk.wait(for: 1, "delivered")
            try await bench.deposit(1)
            await desk.wait(for: 2, "delivered")
            try await execute { try $0.schedule(event: Deposited(account: "c", amount: 2), at: RelayBench.epoch) }
            // The scheduled event, and its delivery to the handler.
            await desk.wait(for: 4, "delivered")
        }

        let names = ["command Remind", "event Deposited", "event Deposited", "event Deposited"]
        #expect(seen.lines == names.flatMap { ["observer \($0)", "middleware \($0)"] })
    }

    @Test func aRolledBackUnitOfWorkSchedulesNothing() async throws {
        await #expect(throws: Failure()) {
            try await execute { context in
                try context.schedule(Remind(text: "never"), at: RelayBench.epoch)
                throw Failure()
            }
        }

        #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
    }

    @Test func aCancelledMessageTakesNoEffect() async throws {
        var id: UUID?
        try await execute { id = try $0.schedule(Remind(text: "never"), at: RelayBench.epoch) }
        let scheduled = try #require(id)
        try await execute { $0.cancelScheduled(scheduled) }
        try await execute { try $0.schedule(Remind(text: "now"), at: RelayBench.epoch) }

        try await withRelay(reminding(bench.relay())) { await bench.desk.wait(for: 1, "delivered") }

        #expect(bench.desk.lines == ["reminded now", "delivered \(ScheduledMessage.subscription)"])
    }

    @Test func aScheduledEventIsRaisedWithAllItsHandlers() async throws {
        bench.registrar.register(Book.self)
        let source = EntityReference(kind: Balance.entityName, key: "source")
        try await execute { context in
            try context.schedule(event: Deposited(account: "a", amount: 5), for: source, at: RelayBench.epoch)
        }

        try await withRelay(bench.relay()) { await bench.desk.wait(for: 1, "delivered book") }

        #expect(try await bench.balance("a") == 5)
        let records = try await bench.store.events(after: 0, limit: 10)
        #expect(records.map(\.event.stream) == [source])
    }

    @Test func aCommandWithoutAnOperationIsADeadLetterThatCanBeReplayed() async throws {
        try await execute { try $0.schedule(Remind(text: "now"), at: RelayBench.epoch) }
        try await withRelay(bench.relay { $0.unknownEventGrace = .zero }) { await bench.desk.wait(for: 1, "dead") }
        let deadLetters = DeadLetters(in: bench.store)
        let letter = try #require(try await deadLetters.page().first)
        #expect(letter.reason.contains("This relay does not carry out the scheduled command 'remind'"))

        #expect(try await deadLetters.replay([letter.id]) == 1)
        try await withRelay(reminding(bench.relay())) { await bench.desk.wait(for: 1, "delivered") }

        #expect(bench.desk.lines.contains("reminded now"))
    }

    @Test func schedulingRequiresADeliveryStore() async throws {
        let context = EntityContext(try SpyStore())

        let error = #expect(throws: StoreError.self) { try context.schedule(Remind(text: "x"), after: .seconds(1)) }

        #expect(error?.code == .unusable)
    }
}

/// Notes each message, as middleware and as an observer.
private struct Counting: Middleware, MessageObserver {
    let note: @Sendable (String) -> Void

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        note(Self.name(context))
        return try await next(message)
    }

    func messageBegan(_ context: MessageContext) { note(Self.name(context)) }

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}

    private static func name(_ context: MessageContext) -> String { "\(context.kind) \(context.type)" }
}
