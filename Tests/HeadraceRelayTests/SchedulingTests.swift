//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DomainTestSupport
import Foundation
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
