//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import HeadraceTesting
import LedgerApplication
import LedgerBooks
import Testing

/// The process that makes the payments of a standing order: alone, and in the program.
@Suite(.timeLimit(.minutes(2))) struct StandingOrderTests {
    private let id = UUID.version7()
    private static let day = Duration.seconds(86_400)

    private func placed(_ count: Int = 2) throws -> StandingOrderPlaced {
        StandingOrderPlaced(order: id, draft: try transfer("10"), count: count, intervalSeconds: 30 * 86_400)
    }

    @Test func aPaymentIsSentAtOnceAndTheNextAfterTheInterval() throws {
        var process = TestProcess(StandingOrderPayments.self)
        try process.given(placed())
        try process.whenTimePasses(.zero)
        #expect(process.sent(PayStandingOrder.self).map(\.payment) == [1])

        try process.given(StandingOrderPaid(order: id, payment: 1))
        #expect(process.state?.step == .waiting)
        try process.whenTimePasses(Self.day * 29)
        #expect(process.commands.isEmpty)
        try process.whenTimePasses(Self.day)
        #expect(process.sent(PayStandingOrder.self).map(\.payment) == [2])

        try process.when(StandingOrderPaid(order: id, payment: 2))
        #expect(process.isEnded)
        #expect(process.state?.step == .finished)
    }

    @Test func aRefusedPaymentIsRetriedThenEscalatedThenGivenUp() throws {
        var process = TestProcess(StandingOrderPayments.self)
        try process.given(placed())
        try process.whenTimePasses(.zero)
        var log: [String] = []
        for pause: Duration in [.seconds(3_600), .seconds(4 * 3_600), Self.day, Self.day, Self.day, Self.day] {
            try process.when(StandingOrderRefused(order: id, payment: 1))
            log.append(
                ([process.state?.step.rawValue ?? ""] + process.commands.map { name(of: $0) }).joined(separator: " "))
            try process.whenTimePasses(pause)
            #expect(process.sent(PayStandingOrder.self).map(\.payment) == [1])
        }
        try process.when(StandingOrderRefused(order: id, payment: 1))

        #expect(
            log == [
                "retrying", "retrying", "escalated escalate-standing-order", "escalated", "escalated", "escalated",
            ]
        )
        #expect(process.sent(GiveUpStandingOrder.self).map(\.order) == [id])
        #expect(process.state?.step == .givenUp)
        #expect(process.isEnded)
    }

    private func name(of command: any DurableCommand) -> String { type(of: command).commandName }

    @Test func aPaymentWithoutAnAnswerCountsAsRefused() throws {
        var process = TestProcess(StandingOrderPayments.self)
        try process.given(placed())
        try process.whenTimePasses(.zero)
        try process.whenTimePasses(Self.day)

        #expect(process.state?.refusals == 1)
        #expect(process.timeouts.keys.map(\.rawValue) == ["retry"])
    }

    @Test func aCancelledOrderMakesNoFurtherPayment() throws {
        var process = TestProcess(StandingOrderPayments.self)
        try process.given(placed(), StandingOrderCancelled(order: id))
        try process.whenTimePasses(Self.day * 365)

        #expect(process.commands.isEmpty)
        #expect(process.isEnded)
    }

    // MARK: In the program

    private func withProgram(
        _ kind: StoreKind,
        _ body: (TestRelay, any CommandQueryDispatcher, any DeliveryStore) async throws -> Void
    ) async throws {
        let books = try await TestBooks(kind)
        var configuration = LedgerComposition.Configuration()
        configuration.clock = CurrentClock()
        // Keeps the clock of the store out of the test.
        let container = try LedgerComposition.makeContainer(on: books.store, configuration: configuration)
        try await TestRelay.run(container.resolve()) { relay in
            try await body(relay, container.resolve(), books.store)
        }
        withExtendedLifetime((books, container)) {}
    }

    private func order(in store: any DeliveryStore) async throws -> StandingOrder {
        try #require(try await EntityContext(store).find(StandingOrder.self, id: id))
    }

    @Test(arguments: [StoreKind.memory, .sqlite])
    func aStandingOrderIsPaidUntilTheAccountIsEmptyAndThenGivenUp(kind: StoreKind) async throws {
        try await withProgram(kind) { relay, dispatcher, store in
            try await dispatcher.dispatch(PostTransaction(try transfer("25", from: "income", to: "assets:cash")))
            try await dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "assets:cash"))
            try await dispatcher.dispatch(
                PlaceStandingOrder(try transfer("10"), count: 12, every: Self.day * 30, id: id))

            try await relay.advance(by: Self.day * 59)
            #expect(try await balances(dispatcher) == ["assets:cash 5 EUR", "expenses:food 20 EUR", "income -25 EUR"])
            #expect(try await order(in: store).paidCount == 2)
            #expect(try await order(in: store).state == .active)

            try await relay.advance(by: Self.day * 2)
            #expect(try await order(in: store).state == .needsAttention)
            #expect(try await order(in: store).refusal?.contains("'assets:cash' would be -5 EUR") == true)

            try await relay.advance(by: Self.day * 30)
            #expect(try await order(in: store).state == .givenUp)
            #expect(try await balances(dispatcher) == ["assets:cash 5 EUR", "expenses:food 20 EUR", "income -25 EUR"])
            #expect(try await store.deliveryStatistics().pendingCount == 0)
        }
    }

    @Test(arguments: [StoreKind.memory, .sqlite])
    func anOrderThatNeedsAttentionContinuesOnceTheAccountIsFilled(kind: StoreKind) async throws {
        try await withProgram(kind) { relay, dispatcher, store in
            try await dispatcher.dispatch(PostTransaction(try transfer("5", from: "income", to: "assets:cash")))
            try await dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "assets:cash"))
            try await dispatcher.dispatch(
                PlaceStandingOrder(try transfer("10"), count: 2, every: Self.day * 30, id: id))
            try await relay.advance(by: Self.day)
            #expect(try await order(in: store).state == .needsAttention)

            try await dispatcher.dispatch(PostTransaction(try transfer("20", from: "income", to: "assets:cash")))
            try await relay.advance(by: Self.day)
            #expect(try await order(in: store).state == .active)
            #expect(try await order(in: store).paidCount == 1)

            try await relay.advance(by: Self.day * 30)
            #expect(try await order(in: store).state == .finished)
            #expect(try await balances(dispatcher) == ["assets:cash 5 EUR", "expenses:food 20 EUR", "income -25 EUR"])
        }
    }

    private func balances(_ dispatcher: any CommandQueryDispatcher) async throws -> [String] {
        try await dispatcher.dispatch(GetBalances(matching: [])).map { "\($0.account) \($0.amount)" }
    }
}
