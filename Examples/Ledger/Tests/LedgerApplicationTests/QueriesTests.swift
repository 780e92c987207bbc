// SPDX-License-Identifier: Apache-2.0

import Headrace
import LedgerApplication
import LedgerBooks
import Testing

private let journal = """
    2026-01-05 late
        assets:bank:checking   10 EUR
        equity

    2026-01-01 early
        assets:bank            5 EUR
        assets:bank:savings    1 USD
        equity                -5 EUR
        equity                -1 USD

    2026-01-03 nothing left
        assets:banknote        3 EUR
        assets:bank           -3 EUR
    2026-01-03 back
        assets:banknote       -3 EUR
        equity

    """

@Suite struct QueriesTests {
    @Test(arguments: StoreKind.allCases)
    func balancesOmitZeros(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(journal)

        #expect(
            try await books.balances() == [
                "assets:bank 2 EUR", "assets:bank:checking 10 EUR", "assets:bank:savings 1 USD", "equity -12 EUR",
                "equity -1 USD",
            ]
        )
    }

    @Test(arguments: [
        (["BANK:"], ["assets:bank:checking 10 EUR", "assets:bank:savings 1 USD"]),
        (["savings", "checking"], ["assets:bank:checking 10 EUR", "assets:bank:savings 1 USD"]),
        (["nowhere"], []),
        (["^assets:bank$"], ["assets:bank 2 EUR"]),
        (["bank:(sav|check)ings"], ["assets:bank:savings 1 USD"]),
        (["not:assets"], ["equity -12 EUR", "equity -1 USD"]),
        (["bank", "not:savings", "not:^assets:bank$"], ["assets:bank:checking 10 EUR"]),
        (["equity", "checking", "not:bank"], ["equity -12 EUR", "equity -1 USD"]),
    ])
    func balancesAreFilteredByPatternsOfAccountNames(patterns: [String], expected: [String]) async throws {
        let books = try await TestBooks()
        try await books.import(journal)

        let balances = try await books.dispatcher.dispatch(GetBalances(matching: patterns))

        #expect(balances.map { "\($0.account) \($0.amount)" } == expected)
    }

    @Test func aRegisterOfNoAccountIsAnError() async throws {
        let books = try await TestBooks()
        try await books.import(journal)

        let error = await #expect(throws: AccountPatternError.self) {
            try await books.dispatcher.dispatch(GetRegister(matching: ["nowhere", "never"]))
        }

        #expect(error?.description.hasPrefix("No account matches 'nowhere' or 'never'. To fix, ") == true)
    }

    @Test(arguments: ["(", "not:["]) func aTextThatIsNoPatternIsRefused(text: String) async throws {
        let dispatcher = try await TestBooks().dispatcher
        await #expect(throws: AccountPatternError.self) { try await dispatcher.dispatch(GetBalances(matching: [text])) }
        await #expect(throws: AccountPatternError.self) { try await dispatcher.dispatch(GetAccounts(matching: [text])) }
        await #expect(throws: AccountPatternError.self) { try await dispatcher.dispatch(GetRegister(matching: [text])) }
    }

    @Test(arguments: StoreKind.allCases)
    func theRegisterIsOrderedByDateWithARunningTotalPerCommodity(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(journal)

        let register = try await books.dispatcher.dispatch(GetRegister(matching: ["assets:bank(:|$)"]))

        #expect(
            register.map { "\($0.date) \($0.account) \($0.amount) = \($0.total)" } == [
                "2026-01-01 assets:bank 5 EUR = 5",
                "2026-01-01 assets:bank:savings 1 USD = 1",
                "2026-01-03 assets:bank -3 EUR = 2",
                "2026-01-05 assets:bank:checking 10 EUR = 12",
            ]
        )
    }

    @Test func anUnknownAccountIsReportedWithSimilarNames() async throws {
        let books = try await TestBooks()
        try await books.import(journal)

        let error = await #expect(throws: UnknownAccount.self) {
            try await books.dispatcher.dispatch(GetRegisterPage(of: "bank"))
        }

        #expect(
            error?.description == """
                The ledger has no account 'bank'. To fix, give its full name: did you mean 'assets:bank', \
                'assets:bank:checking', 'assets:bank:savings'?
                """
        )
    }

    @Test(arguments: StoreKind.allCases)
    func accountsAreOrderedByName(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(journal)

        #expect(
            try await books.dispatcher.dispatch(GetAccounts()) == [
                "assets:bank", "assets:bank:checking", "assets:bank:savings", "assets:banknote", "equity",
            ]
        )
    }
}
