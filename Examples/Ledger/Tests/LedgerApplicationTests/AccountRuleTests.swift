// SPDX-License-Identifier: Apache-2.0

import Headrace
import LedgerApplication
import LedgerBooks
import Testing

@Suite struct AccountRuleTests {
    @Test(arguments: StoreKind.allCases)
    func aNegativeBalanceIsRefusedAndZeroIsNot(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.dispatcher.dispatch(PostTransaction(try transfer("10", from: "equity", to: "assets:cash")))
        try await books.dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "assets:cash"))

        try await books.dispatcher.dispatch(PostTransaction(try transfer("10")))
        let refusal = await #expect(throws: AccountRefusal.self) {
            try await books.dispatcher.dispatch(PostTransaction(try transfer("0.01")))
        }

        #expect(refusal?.code == .belowZero)
        #expect(refusal?.account == "assets:cash")
        #expect(try await books.balances() == ["equity -10 EUR", "expenses:food 10 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func theRuleIsCheckedOnlyAtTheEndOfAUnitOfWork(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.dispatcher.dispatch(PostTransaction(try transfer("1", from: "equity", to: "assets:cash")))
        try await books.dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "assets:cash"))

        // The balance is negative between the two transactions of the journal, but not after them.
        try await books.import(
            """
            2026-01-01 out
                assets:cash   -5 EUR
                expenses
            2026-01-02 in
                assets:cash    4 EUR
                equity

            """
        )

        #expect(try await books.balances(matching: "cash") == [])
        await #expect(throws: AccountRefusal.self) {
            try await books.import("2026-01-03 out\n    assets:cash   -1 EUR\n    expenses\n", named: "other.journal")
        }
        #expect(try await books.balances(matching: "cash") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func aClosedAccountRefusesLaterPostings(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        var draft = try transfer("1")
        try await books.dispatcher.dispatch(PostTransaction(draft))
        let closed = AccountRule(closedFrom: draft.date)
        try await books.dispatcher.dispatch(SetAccountRule(closed, of: "expenses:food"))

        let refusal = await #expect(throws: AccountRefusal.self) {
            try await books.dispatcher.dispatch(PostTransaction(draft))
        }
        #expect(refusal?.code == .closed)

        draft.date = try #require(BookDate(year: draft.date.year - 1, month: 12, day: 31))
        try await books.dispatcher.dispatch(PostTransaction(draft))
        try await books.dispatcher.dispatch(SetAccountRule(nil, of: "expenses:food"))
        try await books.dispatcher.dispatch(PostTransaction(try transfer("1")))
        #expect(try await books.balances(matching: "food") == ["expenses:food 3 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func aRuleThatTheAccountBreaksIsNotSet(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.dispatcher.dispatch(PostTransaction(try transfer("1")))

        await #expect(throws: AccountRefusal.self) {
            try await books.dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "assets:cash"))
        }
        await #expect(throws: UnknownAccount.self) {
            try await books.dispatcher.dispatch(SetAccountRule(nil, of: "nowhere"))
        }
        try await books.dispatcher.dispatch(PostTransaction(try transfer("1")))
        #expect(try await books.eventNames().contains(AccountRuleSet.eventName) == false)
    }

    /// The parent has no postings of its own.
    @Test(arguments: StoreKind.allCases)
    func aRuleHoldsForSubaccounts(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.dispatcher.dispatch(PostTransaction(try transfer("10", from: "equity", to: "assets:bank:a")))
        try await books.dispatcher.dispatch(PostTransaction(try transfer("10", from: "equity", to: "assetsOther")))
        let rule = AccountRule(neverBelowZero: true, closedFrom: BookDate("2026-04-01"))
        try await books.dispatcher.dispatch(SetAccountRule(rule, of: "assets"))

        for account in ["assets:bank:a", "assets:bank:new", "assets"] {
            let refusal = await #expect(throws: AccountRefusal.self) {
                try await books.dispatcher.dispatch(PostTransaction(try transfer("11", from: account)))
            }
            #expect(refusal?.code == .belowZero)
            #expect(refusal?.account == account)
        }
        let late = await #expect(throws: AccountRefusal.self) {
            try await books.dispatcher.dispatch(
                PostTransaction(try transfer("1", from: "assets:bank:a", on: "2026-04-01")))
        }
        #expect(
            late?.message == "'assets:bank:a' is closed since 2026-04-01 by the rule of 'assets', so nothing can be "
                + "posted to it on 2026-04-01. To fix, use an earlier date, or change the rule of 'assets'.")
        await #expect(throws: AccountRefusal.self) {
            try await books.import("2026-03-01 x\n    assets:bank:a  -11 EUR\n    food\n")
        }

        try await books.dispatcher.dispatch(PostTransaction(try transfer("11", from: "assetsOther")))
        try await books.dispatcher.dispatch(SetAccountRule(nil, of: "assets"))
        try await books.dispatcher.dispatch(PostTransaction(try transfer("11", from: "assets:bank:a")))
        #expect(try await books.balances(matching: "bank") == ["assets:bank:a -1 EUR"])
        await #expect(throws: AccountRefusal.self) {
            try await books.dispatcher.dispatch(SetAccountRule(rule, of: "assets"))
        }
    }

    /// The same name can be composed (one scalar for 'é') or decomposed (two).
    @Test(arguments: StoreKind.allCases)
    func aRuleHoldsForOtherSpellings(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.dispatcher.dispatch(PostTransaction(try transfer("1", from: "equity", to: "Caf\u{E9}")))

        try await books.dispatcher.dispatch(SetAccountRule(AccountRule(neverBelowZero: true), of: "Cafe\u{301}"))

        for account in ["Caf\u{E9}", "Cafe\u{301}", "Cafe\u{301}:sub"] {
            await #expect(throws: AccountRefusal.self) {
                try await books.dispatcher.dispatch(PostTransaction(try transfer("2", from: account)))
            }
        }
    }
}
