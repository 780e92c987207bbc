// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceTesting
import LedgerApplication
import LedgerBooks
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReverseTransactionTests {
    private let day = BookDate("2026-04-01")

    /// Posts `draft`, and returns its identifier.
    private func post(_ draft: TransactionDraft, to books: TestBooks) async throws -> UUID {
        let id = UUID.version7()
        try await books.dispatcher.dispatch(PostTransaction(draft, id: id))
        return id
    }

    private func find(_ id: UUID, in books: TestBooks) async throws -> GetTransaction.Posted {
        try #require(try await books.dispatcher.dispatch(GetTransaction(id: id)))
    }

    @Test(arguments: StoreKind.allCases)
    func aReversalHasTheOppositeAmountsAndBothTransactionsNameTheOther(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        var draft = try transfer("12.50")
        draft.code = "17"
        draft.comment = "lunch"
        let original = try await post(draft, to: books)

        let id = try await books.dispatcher.dispatch(ReverseTransaction(original, on: day, comment: "Typed twice."))

        let reversal = try await find(id, in: books)
        #expect(
            reversal.postings.map { "\($0.account) \($0.amount)" } == [
                "expenses:food -12.50 EUR", "assets:cash 12.50 EUR",
            ])
        #expect(reversal.description == "Reversal of 2026-03-01 transfer")
        #expect(reversal.code == "17")
        #expect(reversal.comment == "Typed twice.")
        #expect(reversal.date == day)
        #expect(reversal.reverses == original)
        #expect(reversal.reversedBy == nil)
        let first = try await find(original, in: books)
        #expect(first.reversedBy == id)
        #expect(first.reverses == nil)
        #expect(first.postings.map { "\($0.amount)" } == ["12.50 EUR", "-12.50 EUR"])
        #expect(try await books.balances() == [])
        let posted = try await books.store.events(after: 0, limit: .max)
            .filter { $0.event.name == TransactionPosted.eventName }
            .map { try JSONDecoder().decode(TransactionPosted.self, from: $0.event.json) }
        #expect(posted.map(\.transaction) == [original, id])
        #expect(posted.map(\.reverses) == [nil, original])
    }

    @Test(arguments: StoreKind.allCases)
    func aTransactionIsReversedOnceAndItsReversalCanBeReversed(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let original = try await post(try transfer("3"), to: books)
        let reversal = try await books.dispatcher.dispatch(ReverseTransaction(original, on: day))

        let refusal = await #expect(throws: ReversalRefusal.self) {
            try await books.dispatcher.dispatch(ReverseTransaction(original, on: day))
        }
        #expect(refusal?.code == .alreadyReversed)
        #expect(refusal?.transaction == original)
        #expect(refusal?.reversal == reversal)
        #expect(
            refusal?.message == """
                The transaction \(original) is already reversed by the transaction \(reversal). To fix, leave it, or \
                reverse \(reversal) to restore the effect of the first transaction.
                """
        )
        #expect(try await books.balances() == [])

        let restored = try await books.dispatcher.dispatch(ReverseTransaction(reversal, on: day))
        #expect(try await books.balances() == ["assets:cash -3 EUR", "expenses:food 3 EUR"])
        #expect(
            try await find(restored, in: books).description == "Reversal of 2026-04-01 Reversal of 2026-03-01 transfer")
        await #expect(throws: ReversalRefusal.self) {
            try await books.dispatcher.dispatch(ReverseTransaction(original, on: day))
        }
        _ = try await books.dispatcher.dispatch(ReverseTransaction(restored, on: day))
        #expect(try await books.balances() == [])
    }

    @Test func withoutADateItIsTheCurrentDayOfTheTimeZoneOrTheLaterDateOfTheTransaction() async throws {
        let books = try await TestBooks()
        var calendar = Calendar(identifier: .buddhist)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 3_600))
        let values = SystemValues(
            // 2026-05-01, half past midnight in this time zone.
            date: { Date(timeIntervalSince1970: 1_777_591_800) },
            calendar: calendar
        )
        for (date, expected) in [("2026-03-01", "2026-05-01"), ("2026-05-02", "2026-05-02")] {
            let original = try await post(try transfer("1", on: date), to: books)

            let id = try await SystemValues.withCurrent(values) {
                try await books.dispatcher.dispatch(ReverseTransaction(original))
            }

            #expect(try await find(id, in: books).date == BookDate(expected))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDateBeforeTheTransactionAndAnUnknownTransactionAreRefused(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let original = try await post(try transfer("1"), to: books)

        let refusal = await #expect(throws: ReversalRefusal.self) {
            try await books.dispatcher.dispatch(ReverseTransaction(original, on: BookDate("2026-02-28")))
        }
        #expect(refusal?.code == .beforeOriginal)
        #expect(refusal?.message.hasSuffix("To fix, use 2026-03-01 or a later date.") == true)
        let unknown = UUID.version7()
        let error = await #expect(throws: UnknownTransaction.self) {
            try await books.dispatcher.dispatch(ReverseTransaction(unknown, on: day))
        }
        #expect(error?.id == unknown)
        #expect(try await find(original, in: books).reversedBy == nil)
        #expect(try await books.balances(matching: "food") == ["expenses:food 1 EUR"])

        _ = try await books.dispatcher.dispatch(ReverseTransaction(original, on: BookDate("2026-03-01")))
        #expect(try await books.balances() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func theRulesOfTheAccountsApply(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let salary = try await post(try transfer("10", from: "income", to: "assets:cash"), to: books)
        _ = try await post(try transfer("4"), to: books)
        try await books.dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "assets:cash"))
        let before = try await books.eventNames()

        let refusal = await #expect(throws: AccountRefusal.self) {
            try await books.dispatcher.dispatch(ReverseTransaction(salary, on: day))
        }
        #expect(refusal?.code == .belowZero)
        try await books.dispatcher.dispatch(SetAccountRule(AccountRule(closedFrom: day), of: "assets:cash"))
        let late = await #expect(throws: AccountRefusal.self) {
            try await books.dispatcher.dispatch(ReverseTransaction(salary, on: day))
        }
        #expect(late?.code == .closed)

        #expect(try await find(salary, in: books).reversedBy == nil)
        #expect(try await books.balances(matching: "cash") == ["assets:cash 6 EUR"])
        #expect(
            try await books.eventNames().count { $0 == TransactionPosted.eventName }
                == before.count { $0 == TransactionPosted.eventName })
    }

    /// The amounts are reversed as they were posted, with the computed ones, and so are their costs.
    @Test(arguments: StoreKind.allCases)
    func costsAndComputedAmountsAreReversedExactly(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(
            """
            2026-01-01 shares
                depot    3 X @@ 10 EUR
                cash
            2026-01-02 at a price
                depot    7.77 X @ 1.2345 EUR
                cash    -9.59 EUR
            2026-01-03 conversion
                wallet   3.33 USD
                cash    -3.07 EUR

            """
        )
        let page = try await books.dispatcher.dispatch(GetTransactions())
        #expect(page.transactions.count == 3)

        for transaction in page.transactions {
            let id = try await books.dispatcher.dispatch(ReverseTransaction(transaction.id, on: day))
            #expect(try await find(id, in: books).postings.map(\.cost) == transaction.postings.map(\.cost))
        }

        #expect(try await books.balances() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func ofConcurrentReversalsOneWins(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let original = try await post(try transfer("5"), to: books)
        let other = try LedgerComposition.makeContainer(on: books.store).resolve((any CommandQueryDispatcher).self)
        let winner = UUID.version7()
        let hasRun = Atomic(false)
        let day = day
        let slow = try books.otherProcess { attempt in
            if hasRun.exchange(true, ordering: .relaxed) { return }
            // Another posting to the same accounts is no obstacle, but another reversal is.
            try await other.dispatch(PostTransaction(try transfer("100")))
            _ = try await other.dispatch(ReverseTransaction(original, on: day, id: winner))
        }

        let refusal = await #expect(throws: ReversalRefusal.self) {
            try await slow.dispatcher.dispatch(ReverseTransaction(original, on: day))
        }

        #expect(refusal?.reversal == winner)
        #expect(try await books.balances() == ["assets:cash -100 EUR", "expenses:food 100 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func ofManyReversalsAtOnceOneSucceeds(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let original = try await post(try transfer("5"), to: books)
        let dispatcher = books.dispatcher
        let day = day

        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<12 {
                group.addTask {
                    if index.isMultiple(of: 3) {
                        try await dispatcher.dispatch(PostTransaction(try transfer("1")))
                        return false
                    }
                    do {
                        _ = try await dispatcher.dispatch(ReverseTransaction(original, on: day))
                        return true
                    } catch is ReversalRefusal {
                        return false
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }

        #expect(outcomes == 1)
        #expect(try await books.balances() == ["assets:cash -4 EUR", "expenses:food 4 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func aRepeatedReversalHasTheSameResult(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let dispatcher = books.dispatcher
        let first = try await post(try transfer("5"), to: books)
        let second = try await post(try transfer("6"), to: books)
        let chosen = UUID.version7()

        for _ in 1...3 {
            #expect(try await dispatcher.dispatch(ReverseTransaction(first, on: day, id: chosen)) == chosen)
        }
        var results: Set<UUID> = []
        for _ in 1...3 {
            let day = day
            results.insert(
                try await IdempotencyMiddleware.withKey("once") {
                    try await dispatcher.dispatch(ReverseTransaction(second, on: day))
                }
            )
        }

        #expect(results == [try await find(second, in: books).reversedBy])
        #expect(try await books.balances() == [])
        let error = await #expect(throws: StoreError.self) {
            try await dispatcher.dispatch(ReverseTransaction(chosen, on: day, id: first))
        }
        #expect(error?.code == .alreadyExists)
    }

    @Test(arguments: StoreKind.allCases)
    func aLaterImportOfTheJournalPostsNothingAgain(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let journal = """
            2026-01-01 start
                assets:cash       100 EUR
                equity
            2026-01-02 counted
                assets:cash        = 90 EUR
                expenses:lost

            """
        try await books.import(journal)
        for transaction in try await books.dispatcher.dispatch(GetTransactions()).transactions {
            _ = try await books.dispatcher.dispatch(ReverseTransaction(transaction.id, on: day))
        }
        #expect(try await books.balances() == [])

        let again = try await books.import(journal)
        let longer = try await books.import(journal + "2026-01-03 new\n    assets:cash  1 EUR\n    equity\n")

        #expect(again?.posted == 0)
        #expect(longer?.posted == 1)
        #expect(longer?.known == 2)
        #expect(try await books.balances() == ["assets:cash 1 EUR", "equity -1 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func aReversedPaymentOfAStandingOrderIsNotMadeAgain(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let order = UUID.version7()
        let draft = try transfer("10")
        try await books.dispatcher.dispatch(PlaceStandingOrder(draft, count: 2, every: .seconds(60), id: order))
        func pay(_ payment: Int) async throws {
            try await books.dispatcher.dispatch(
                PayStandingOrder(order: order, payment: payment, draft: draft, date: Date(timeIntervalSince1970: 0)))
        }
        try await pay(1)
        let payment = try #require(try await books.dispatcher.dispatch(GetTransactions()).transactions.first)

        _ = try await books.dispatcher.dispatch(ReverseTransaction(payment.id, on: day))
        try await pay(1)
        #expect(try await books.balances() == [])

        try await pay(2)
        #expect(try await books.balances(matching: "food") == ["expenses:food 10 EUR"])
        #expect(try await books.dispatcher.dispatch(GetStandingOrders()).map(\.paidCount) == [2])
    }
}
