// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceCore
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

    @Test func aLateRefusalOfAnAttemptWithoutAnAnswerDoesNotCountAgain() throws {
        var process = TestProcess(StandingOrderPayments.self)
        try process.given(placed())
        try process.whenTimePasses(.zero)
        #expect(process.sent(PayStandingOrder.self).map(\.attempt) == [1])
        try process.whenTimePasses(Self.day)

        try process.when(StandingOrderRefused(order: id, payment: 1, attempt: 1))
        #expect(process.state?.refusals == 1)
        try process.whenTimePasses(.seconds(3_600))
        #expect(process.sent(PayStandingOrder.self).map(\.attempt) == [2])
        try process.when(StandingOrderRefused(order: id, payment: 1, attempt: 1))
        #expect(process.state?.refusals == 1)

        try process.when(StandingOrderRefused(order: id, payment: 1, attempt: 2))
        #expect(process.state?.refusals == 2)
    }

    @Test func attemptsWithoutAnAnswerAreEscalatedForTheirPayment() throws {
        var process = TestProcess(StandingOrderPayments.self)
        try process.given(placed())
        try process.whenTimePasses(.zero)
        try process.given(StandingOrderPaid(order: id, payment: 1))
        try process.whenTimePasses(Self.day * 30)
        for pause: Duration in [.seconds(3_600), .seconds(4 * 3_600)] {
            try process.whenTimePasses(Self.day)
            try process.whenTimePasses(pause)
        }

        try process.whenTimePasses(Self.day)

        #expect(process.sent(EscalateStandingOrder.self) == [EscalateStandingOrder(order: id, payment: 2)])
        #expect(process.state?.step == .escalated)
    }

    @Test func messagesOfEarlierVersionsAreReadAndCount() throws {
        func old<Message: Codable>(_ message: Message, without member: String) throws -> Message {
            var members = try #require(
                JSONSerialization.jsonObject(with: JSONEncoder().encode(message)) as? [String: Any]
            )
            #expect(members.removeValue(forKey: member) != nil)
            return try JSONDecoder().decode(Message.self, from: JSONSerialization.data(withJSONObject: members))
        }
        let refused = try old(StandingOrderRefused(order: id, payment: 1, attempt: 1), without: "attempt")
        let escalation = try old(EscalateStandingOrder(order: id, payment: 1), without: "payment")
        let payment = try old(
            PayStandingOrder(order: id, payment: 1, attempt: 1, draft: transfer("1"), date: .distantPast),
            without: "attempt"
        )
        #expect(refused.attempt == nil && escalation.payment == nil && payment.attempt == nil)

        var process = TestProcess(StandingOrderPayments.self)
        try process.given(placed())
        try process.whenTimePasses(.zero)
        try process.when(refused)
        #expect(process.state?.refusals == 1)
    }

    @Test func aCancelledOrderMakesNoFurtherPayment() throws {
        var process = TestProcess(StandingOrderPayments.self)
        try process.given(placed(), StandingOrderCancelled(order: id))
        try process.whenTimePasses(Self.day * 365)

        #expect(process.commands.isEmpty)
        #expect(process.isEnded)
    }

    // MARK: Commands

    private func place(in books: TestBooks, every interval: Duration = Self.day) async throws {
        try await books.dispatcher.dispatch(PlaceStandingOrder(try transfer("10"), count: 2, every: interval, id: id))
    }

    @Test func anEscalationIsForThePaymentThatIsDue() async throws {
        let books = try await TestBooks()
        try await place(in: books)
        try await books.dispatcher.dispatch(
            PayStandingOrder(order: id, payment: 1, attempt: 1, draft: try transfer("10"), date: .distantPast)
        )

        try await books.dispatcher.dispatch(EscalateStandingOrder(order: id, payment: 1))
        #expect(try await order(in: books.store).state == .active)

        // No attempt at the second payment had an answer.
        try await books.dispatcher.dispatch(EscalateStandingOrder(order: id, payment: 2))
        #expect(try await order(in: books.store).state == .needsAttention)
        #expect(try await order(in: books.store).refusal?.contains("To fix, ") == true)
    }

    @Test(arguments: StoreKind.allCases)
    func anotherIntervalIsAnotherOrder(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        for _ in 1...2 { try await place(in: books) }

        let error = await #expect(throws: StoreError.self) { try await place(in: books, every: Self.day * 2) }

        #expect(error?.code == .alreadyExists)
        #expect(try await order(in: books.store).intervalSeconds == 86_400)
    }

    @Test func theIntervalOfAnOrderOfAnEarlierVersionIsUnknown() async throws {
        let books = try await TestBooks()
        let other = try await TestBooks()
        try await place(in: other)
        let order = try await order(in: other.store)
        var members = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(order)) as? [String: Any]
        )
        #expect(members.removeValue(forKey: "intervalSeconds") as? Int == 86_400)
        let old = try JSONDecoder().decode(
            StandingOrder.self, from: JSONSerialization.data(withJSONObject: members)
        )
        let context = EntityContext(books.store)
        context.insert(old)
        try await context.commit(context.takeEvents())

        try await place(in: books)
        #expect(try await self.order(in: books.store).intervalSeconds == nil)
    }

    @Test(
        arguments: [
            (0, .seconds(60), "invalidCount"), (-1, .seconds(60), "invalidCount"), (1, .zero, "invalidInterval"),
            (1, .milliseconds(999), "invalidInterval"), (1, .milliseconds(1_500), "invalidInterval"),
            (1, .seconds(-60), "invalidInterval"),
        ] as [(Int, Duration, String)])
    func numbersOutOfTheirRangesAreRefused(count: Int, interval: Duration, code: String) async throws {
        let books = try await TestBooks()

        let refusal = await #expect(throws: StandingOrderRefusal.self) {
            try await books.dispatcher.dispatch(
                PlaceStandingOrder(try transfer("10"), count: count, every: interval, id: id))
        }

        #expect(refusal?.codeName == code)
        #expect(refusal?.message.contains("To fix, ") == true)
        #expect(try await books.eventNames() == [])
    }

    @Test func anOrderThatCanNeverBePostedIsRefused() async throws {
        let books = try await TestBooks()
        var draft = try transfer("10")
        draft.postings[1].amount = draft.postings[0].amount

        let refusal = await #expect(throws: PostingRefusal.self) {
            try await books.dispatcher.dispatch(PlaceStandingOrder(draft, count: 1, every: Self.day, id: id))
        }

        #expect(refusal?.code == .unbalanced)
        #expect(try await books.eventNames() == [])
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
