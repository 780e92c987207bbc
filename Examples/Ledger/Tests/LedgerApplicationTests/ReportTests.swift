// SPDX-License-Identifier: Apache-2.0

import Headrace
import LedgerApplication
import LedgerBooks
import Testing

private let journal = """
    2026-01-01 opening
        assets:bank:checking    1000.00 EUR
        liabilities:card         -50.00 EUR
        equity:opening
    2026-01-31 pay
        Assets:Cash              300 USD
        Revenues:salary
    2026-02-01 pay
        assets:bank:checking     500.00 EUR
        income:salary:net
        income:interest           -0.01 EUR
    2026-02-02 food
        expenses:food:out         12.30 EUR
        expenses:food:in           7.70 EUR
        liabilities:card
    2026-02-03 back
        expenses:gifts             5 EUR
        expenses:gifts            -5 EUR
    2026-02-28 misc
        suspense                   1 EUR
        assets:bank:checking
    2026-03-01 rent
        expenses:rent            400 EUR
        assets:bank:checking

    """

@Suite struct ReportTests {
    private func text(_ section: ReportSection) -> [String] {
        section.lines.map { "\($0.account) \($0.amounts.map(\.description).joined(separator: ", "))" }
            + ["= \(section.total.map(\.description).joined(separator: ", "))"]
    }

    @Test(arguments: StoreKind.allCases)
    func theIncomeStatementHasTheIncomeAndTheExpensesOfThePeriod(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(journal)
        let february = BookPeriod(from: BookDate("2026-02-01"), before: BookDate("2026-03-01"))

        let statement = try await books.dispatcher.dispatch(GetIncomeStatement(in: february))

        #expect(statement.period == february)
        #expect(text(statement.income) == ["income:interest 0.01 EUR", "income:salary:net 499.99 EUR", "= 500.00 EUR"])
        #expect(
            text(statement.expenses) == ["expenses:food:in 7.70 EUR", "expenses:food:out 12.30 EUR", "= 20.00 EUR"])
        #expect(statement.net.map(\.description) == ["480.00 EUR"])
        #expect(statement.untyped == ["suspense"])

        let all = try await books.dispatcher.dispatch(GetIncomeStatement())
        #expect(
            text(all.income) == [
                "Revenues:salary 300 USD", "income:interest 0.01 EUR", "income:salary:net 499.99 EUR",
                "= 500.00 EUR, 300 USD",
            ]
        )
        #expect(all.net.map(\.description) == ["80.00 EUR", "300 USD"])
        let none = try await books.dispatcher.dispatch(
            GetIncomeStatement(in: BookPeriod(before: BookDate("2000-01-01"))))
        #expect(none.income.lines.isEmpty && none.net.isEmpty && none.untyped.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func theBalanceSheetHasTheBalancesBeforeItsEnd(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(journal)

        let sheet = try await books.dispatcher.dispatch(GetBalanceSheet(before: BookDate("2026-02-01")))

        #expect(
            text(sheet.assets) == ["Assets:Cash 300 USD", "assets:bank:checking 1000.00 EUR", "= 1000.00 EUR, 300 USD"])
        #expect(text(sheet.liabilities) == ["liabilities:card 50.00 EUR", "= 50.00 EUR"])
        #expect(text(sheet.equity) == ["equity:opening 950.00 EUR", "= 950.00 EUR"])
        #expect(sheet.net.map(\.description) == ["950.00 EUR", "300 USD"])
        #expect(sheet.untyped.isEmpty)

        let now = try await books.dispatcher.dispatch(GetBalanceSheet())
        #expect(text(now.liabilities) == ["liabilities:card 70.00 EUR", "= 70.00 EUR"])
        #expect(now.net.map(\.description) == ["1029.00 EUR", "300 USD"])
        #expect(now.untyped == ["suspense"])
        // The balances of the accounts and the sum of all transactions are the same.
        let summed = try await books.dispatcher.dispatch(GetBalanceSheet(before: BookDate("9999-12-31")))
        #expect(summed.assets == now.assets && summed.liabilities == now.liabilities && summed.net == now.net)
    }

    @Test(arguments: [
        (1, ["Revenues 300 USD", "income 500.00 EUR"], ["expenses 420.00 EUR"]),
        (
            2, ["Revenues:salary 300 USD", "income:interest 0.01 EUR", "income:salary 499.99 EUR"],
            ["expenses:food 20.00 EUR", "expenses:rent 400 EUR"]
        ),
        (0, ["Revenues 300 USD", "income 500.00 EUR"], ["expenses 420.00 EUR"]),
    ])
    func aDepthSumsAccountsIntoTheirParents(depth: Int, income: [String], expenses: [String]) async throws {
        let books = try await TestBooks()
        try await books.import(journal)

        let statement = try await books.dispatcher.dispatch(GetIncomeStatement(depth: depth))
        let balances = try await books.dispatcher.dispatch(
            GetBalances(matching: ["food", "rent"], in: BookPeriod(from: BookDate("2026-02-02")), depth: depth))

        #expect(text(statement.income).dropLast() == income[...])
        #expect(text(statement.expenses).dropLast() == expenses[...])
        #expect(balances.map { "\($0.account) \($0.amount)" } == expenses)
    }

    @Test(arguments: [
        (BookInterval.month, BookPeriod(), ["2026-01-01", "2026-02-01 20.00 EUR", "2026-03-01 400 EUR"]),
        (.quarter, BookPeriod(), ["2026-01-01 420.00 EUR"]),
        (.year, BookPeriod(), ["2026-01-01 420.00 EUR"]),
        (
            .month, BookPeriod(from: BookDate("2025-11-15"), before: BookDate("2026-02-02")),
            ["2025-11-01", "2025-12-01", "2026-01-01", "2026-02-01"]
        ),
        (.quarter, BookPeriod(from: BookDate("2026-02-15")), ["2026-01-01 400 EUR"]),
        (.year, BookPeriod(before: BookDate("2028-01-02")), ["2026-01-01 420.00 EUR", "2027-01-01", "2028-01-01"]),
    ])
    func columnsHaveNoGapsAndReachFromTheBeginToTheEnd(
        interval: BookInterval, period: BookPeriod, expected: [String]
    ) async throws {
        let books = try await TestBooks()
        try await books.import(journal)

        let columns = try await books.dispatcher.dispatch(
            GetBalanceColumns(by: interval, matching: ["^expenses", "not:gifts"], in: period, depth: 1))

        #expect(
            columns.map { column in
                ([column.begin.description] + column.balances.map(\.amount.description)).joined(separator: " ")
            } == expected)
    }

    @Test func aLedgerWithoutTransactionsHasNoColumns() async throws {
        let books = try await TestBooks()
        #expect(try await books.dispatcher.dispatch(GetBalanceColumns(by: .month)) == [])
        let last = BookPeriod(from: BookDate("9999-11-01"))
        #expect(try await books.dispatcher.dispatch(GetBalanceColumns(by: .month, in: last)) == [])
    }

    /// Earlier versions have stored such names.
    @Test func aDepthKeepsTheEmptyLevelsOfNames() async throws {
        let books = try await TestBooks()
        let names = ["expenses::b", "expenses:b", "expenses:::c:d", ":expenses"]
        let context = EntityContext(books.store)
        for name in names { context.insert(Account(opening: name)) }
        try await context.commit([])

        #expect(try await books.dispatcher.dispatch(GetAccounts(depth: 9)) == names.sorted())
        #expect(try await books.dispatcher.dispatch(GetAccounts(depth: 2)) == [":expenses", "expenses:", "expenses:b"])
    }

    /// More transactions than a page has, and several pages begin within one day.
    @Test(arguments: StoreKind.allCases)
    func totalsIncludeEachTransactionOfALongPeriodOnce(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        try await books.import(
            (0..<700).map { "2026-01-0\($0 % 3 + 1) n\($0)\n    expenses:a\($0 % 7)   1 EUR\n    assets:cash\n" }
                .joined())

        let statement = try await books.dispatcher.dispatch(
            GetIncomeStatement(in: BookPeriod(from: BookDate("2026-01-02"), before: BookDate("2026-01-03"))))
        let sheet = try await books.dispatcher.dispatch(GetBalanceSheet(before: BookDate("2026-01-09")))

        #expect(statement.expenses.total.map(\.description) == ["233 EUR"])
        #expect(statement.expenses.lines.count == 7)
        #expect(sheet.net.map(\.description) == ["-700 EUR"])
    }

    @Test(arguments: StoreKind.allCases)
    func declaredTypesCountBeforeNamesAndForSubaccounts(kind: StoreKind) async throws {
        let books = try await TestBooks(kind)
        let declaring = """
            account suspense  ; type:A
            account wages  ; see below
              ; type: Revenue, x
            account assets:card  ; type:L
            2026-01-31 pay
                suspense:till      100 EUR
                wages             -100 EUR
            2026-01-31 debt
                assets:card:gold   -30 EUR
                expenses:food

            """
        try await books.import(declaring)
        let sheet = try await books.dispatcher.dispatch(GetBalanceSheet())
        let statement = try await books.dispatcher.dispatch(GetIncomeStatement())
        try await books.import(declaring.replacing("suspense  ; type:A", with: "suspense  ; type:E"))
        let changed = try await books.dispatcher.dispatch(GetBalanceSheet())

        #expect(text(sheet.assets) == ["suspense:till 100 EUR", "= 100 EUR"])
        #expect(text(sheet.liabilities) == ["assets:card:gold 30 EUR", "= 30 EUR"])
        #expect(text(statement.income) == ["wages 100 EUR", "= 100 EUR"])
        #expect(sheet.untyped == [] && statement.untyped == [])
        #expect(text(changed.assets) == ["= "])
        #expect(text(changed.equity) == ["suspense:till -100 EUR", "= -100 EUR"])
    }
}
