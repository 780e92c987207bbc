// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerApplication
import LedgerBooks
import Testing

@Suite struct AccountMovementTests {
    @Test(arguments: StoreKind.allCases)
    func anAccountRaisesOneEventForAllBookingsOfAUnitOfWork(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)

        try await books.import(
            """
            2026-01-02 a
                x   1 EUR
                y
            2026-01-01 b
                x   2 EUR
                y
            2026-01-02 c
                x   4 EUR
                x   1 USD
                y

            """
        )

        let moved = try await books.store.events(after: 0, limit: .max)
            .filter { $0.event.name == AccountMoved.eventName }
        #expect(moved.map { $0.event.stream?.key } == ["x", "y"])
        let event = try JSONDecoder().decode(AccountMoved.self, from: try #require(moved.first).event.json)
        #expect(
            event.movements.map { "\($0.date) \($0.change) \($0.commodity)" } == [
                "2026-01-01 2 EUR", "2026-01-02 5 EUR", "2026-01-02 1 USD",
            ]
        )
    }

    @Test(arguments: StoreKind.allCases)
    func theNumberOfTransactionsIsTheSumOverTheAccounts(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        for (source, target) in [("a", "b"), ("b", "c"), ("a", "b"), ("c", "a")] {
            try await books.dispatcher.dispatch(PostTransaction(try transfer("1", from: source, to: target)))
        }

        let all = try await books.dispatcher.dispatch(GetAccountStates())
        #expect(all.reduce(0) { $0 + $1.transactionCount } == 4)
        let some = try await books.dispatcher.dispatch(GetAccountStates(of: ["a", "nowhere"]))
        #expect(some.map(\.account) == ["a"])
        #expect(some == all.filter { $0.account == "a" })
    }
}
