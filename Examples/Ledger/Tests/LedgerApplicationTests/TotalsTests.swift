// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import LedgerApplication
import LedgerBooks
import LedgerTestSupport
import Testing

/// A posted transaction must not cause an overflow of a total, because every later query would fail.
@Suite struct TotalsTests {
    /// Runs all queries that sum amounts.
    private func addUp(_ books: TestBooks, accounts: [String]) async throws {
        for account in accounts {
            _ = try await books.dispatcher.dispatch(GetRegister(matching: [account]))
            var cursor: GetRegisterPage.Cursor?
            repeat {
                let page = try await books.dispatcher.dispatch(GetRegisterPage(of: account, after: cursor, limit: 3))
                cursor = page.next
            } while cursor != nil
        }
        // The daily statements and the history: the sums of all movements.
        var days: [String: Quantity] = [:]
        var totals: [String: Quantity] = [:]
        for record in try await books.store.events(after: 0, limit: .max)
        where record.event.name == AccountMoved.eventName {
            let moved = try JSONDecoder().decode(AccountMoved.self, from: record.event.json)
            for movement in moved.movements {
                let day = "\(moved.account) \(movement.date) \(movement.commodity)"
                days[day] = try (days[day] ?? .zero).adding(movement.change)
                totals[movement.commodity] = try (totals[movement.commodity] ?? .zero).adding(movement.change)
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [38, 32, 31])
    func anAmountThatStatementsCannotHoldIsRefused(kind: StoreKind, digits: Int) async throws {
        let books = try await TestBooks(kind)
        let most = String(repeating: "9", count: digits)
        var refusals = 0
        for (amount, day) in [(most, "2026-03-01"), ("-\(most)", "2026-03-02"), (most, "2026-03-01")] {
            let before = try await books.eventNames()
            do {
                try await books.dispatcher.dispatch(PostTransaction(try transfer(amount, from: "b", to: "a", on: day)))
            } catch let refusal as PostingRefusal {
                #expect(refusal.code == .overflow && refusal.cause?.code == .overflow)
                #expect(try await books.eventNames() == before)
                refusals += 1
            }
        }

        #expect(refusals == [38: 3, 32: 2, 31: 0][digits])
        if digits < 38 { try await addUp(books, accounts: ["a", "b"]) }
    }

    @Test func theRefusalNamesThePostingAndTheDigits() async throws {
        let books = try await TestBooks()
        let command = PostTransaction(try transfer("123456789012345678901234567890123.5", from: "b", to: "a"))

        let refusal = await #expect(throws: PostingRefusal.self) { try await books.dispatcher.dispatch(command) }

        #expect(
            refusal?.message == """
                The posting of 123456789012345678901234567890123.5 EUR to 'a' is too large or too fine: totals of the \
                commodity would need 33 digits before the point and 1 after it, and hold 32 together. To fix, use \
                smaller numbers, fewer digits after the point, or another commodity.
                """
        )
    }

    @Test func anImportNamesTheTransactionThatTotalsCannotHold() async throws {
        let books = try await TestBooks()
        let most = String(repeating: "9", count: 38)

        let refusal = await #expect(throws: ImportRefusal.self) {
            try await books.import("2026-01-01 fine\n  a  1 EUR\n  b\n\n2026-01-02 not\n  a  \(most) EUR\n  b\n")
        }

        #expect(refusal?.line == 5 && refusal?.refusal.code == .overflow)
        #expect(try await books.balances() == [])
    }

    /// A precise amount on one account and a large amount on another have no exact sum, either.
    @Test func totalsIncludeTheAmountsOfAllAccounts() async throws {
        let books = try await TestBooks()
        let large = "1" + String(repeating: "0", count: 30)
        try await books.dispatcher.dispatch(PostTransaction(try transfer(large, from: "b", to: "a:x")))

        await #expect(throws: PostingRefusal.self) {
            try await books.dispatcher.dispatch(PostTransaction(try transfer("0.01", from: "c", to: "a:y")))
        }
        try await books.dispatcher.dispatch(PostTransaction(try transfer("0.1", from: "c", to: "a:y")))

        try await addUp(books, accounts: ["a", "b", "c"])
    }

    @Test(arguments: UInt64(1)...12)
    func noTotalOfAcceptedTransactionsOverflows(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let books = try await TestBooks()
        let accounts = ["a", "a:b", "a:b:c", "d"]
        var accepted = 0
        for _ in 0..<60 {
            let digits = Int.random(in: 1...34, using: &random)
            let point = Int.random(in: 0...digits, using: &random)
            var text = (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
            if point > 0, point < digits { text.insert(".", at: text.index(text.startIndex, offsetBy: point)) }
            let sign = Bool.random(using: &random) ? "-" : ""
            let command = PostTransaction(
                try transfer(
                    sign + text,
                    from: accounts[Int.random(in: 0..<4, using: &random)],
                    to: accounts[Int.random(in: 0..<4, using: &random)],
                    on: "2026-03-0\(Int.random(in: 1...9, using: &random))"
                )
            )
            do {
                try await books.dispatcher.dispatch(command)
                accepted += 1
            } catch is PostingRefusal {}
        }

        #expect(accepted > 5)
        try await addUp(books, accounts: try await books.dispatcher.dispatch(GetAccounts()))
    }
}
