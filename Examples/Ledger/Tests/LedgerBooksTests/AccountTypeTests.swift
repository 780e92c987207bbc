// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import Testing

@Suite struct AccountTypeTests {
    @Test(arguments: [
        ("assets", AccountType.asset), ("Asset:bank", .asset), ("ASSETS:a:b", .asset), ("debts:x", .liability),
        ("debt", .liability), ("liability:card", .liability), ("liabilities", .liability), ("equity:opening", .equity),
        ("income:salary", .income), ("incomes", .income), ("revenue", .income), ("Revenues:x", .income),
        ("expense:food", .expense), ("expenses", .expense),
    ])
    func theTopLevelAccountDecidesTheType(name: String, type: AccountType) {
        #expect(AccountType(ofAccount: name) == type)
    }

    @Test(arguments: ["", ":assets", "assetsx", "my:assets", "equities", "bank", "assets bank", "ex\u{70}ens"])
    func otherNamesHaveNoType(name: String) {
        #expect(AccountType(ofAccount: name) == nil)
    }

    @Test(arguments: [
        (nil, nil, [true, true, true]), ("2026-01-02", nil, [false, true, true]),
        (nil, "2026-01-02", [true, false, false]), ("2026-01-02", "2026-01-03", [false, true, false]),
        ("2026-01-03", "2026-01-02", [false, false, false]),
    ])
    func aPeriodHasItsFirstDayAndNotItsEnd(begin: String?, end: String?, expected: [Bool]) throws {
        let period = BookPeriod(from: begin.flatMap { BookDate($0) }, before: end.flatMap { BookDate($0) })
        let days = try ["2026-01-01", "2026-01-02", "2026-01-03"].map { try #require(BookDate($0)) }

        #expect(days.map { period.contains($0) } == expected)
        #expect(period.isUnlimited == (begin == nil && end == nil))
    }
}
