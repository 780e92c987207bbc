// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

private let journal = """
    2026-01-01 opening
        assets:bank:checking    1000.00 EUR
        liabilities:card         -50.00 EUR
        equity
    2026-01-31 * (7) pay, "net"  ; first
        assets:bank:checking     500.00 EUR
        income:salary
    2026-02-02 food
        expenses:food:out         12.30 EUR
        expenses:food:in           7.70 EUR
        liabilities:card
    2026-02-03 shares
        assets:depot              3 X @@ 30 EUR
        assets:bank:checking
    2026-02-04 odd
        suspense                  1 EUR
        assets:bank:checking

    """

@Suite(.timeLimit(.minutes(3))) struct ReportCommandTests {
    private func imported() throws -> LedgerProcess {
        let ledger = try LedgerProcess()
        try ledger.write(journal, to: "a.journal")
        #expect(try ledger.run("import", "a.journal").status == 0)
        return ledger
    }

    @Test func balancesHaveAColumnForEachMonthQuarterOrYear() throws {
        let ledger = try imported()

        #expect(
            try ledger.run("balance", "-M", "^(expenses|assets)").output == """
                                          2026-01     2026-02
                assets:bank:checking  1500.00 EUR  -31.00 EUR
                assets:depot                0           3 X
                expenses:food:in            0        7.70 EUR
                expenses:food:out           0       12.30 EUR
                --------------------  -----------  ----------
                                      1500.00 EUR  -11.00 EUR
                                            0           3 X

                """)
        #expect(
            try ledger.run("balance", "-Q", "--tree", "expenses").output == """
                             2026Q1
                expenses  20.00 EUR
                  food    20.00 EUR
                    in     7.70 EUR
                    out   12.30 EUR
                --------  ---------
                          20.00 EUR

                """)
        #expect(
            try ledger.run("balance", "--yearly", "food", "--format", "csv").output == """
                account,period,commodity,amount
                expenses:food:in,2026,EUR,7.70
                expenses:food:out,2026,EUR,12.30

                """)
        #expect(
            try ledger.run("balance", "-M", "nothing").errors == "No account that matches 'nothing' has a balance.\n")
        #expect(try ledger.run("balance", "-M", "-Q").status == 64)
    }

    @Test func theIncomeStatementHasSectionsSumsAndTheNetIncome() throws {
        let ledger = try imported()

        let all = try ledger.run("income-statement")
        #expect(
            all.output == """
                Income statement

                Income
                500.00 EUR  income:salary
                ----------
                500.00 EUR

                Expenses
                  7.70 EUR  expenses:food:in
                 12.30 EUR  expenses:food:out
                ----------
                 20.00 EUR

                Net
                480.00 EUR

                """
        )
        #expect(all.errors == "Left out, because the type of this account is unknown: 'suspense'.\n")
        #expect(
            try ledger.run("income-statement", "--begin", "2026-02-01", "--end", "2026-02-03", "--tree").output == """
                Income statement from 2026-02-01, before 2026-02-03

                Income
                ----------
                     0

                Expenses
                 20.00 EUR  expenses
                 20.00 EUR    food
                  7.70 EUR      in
                 12.30 EUR      out
                ----------
                 20.00 EUR

                Net
                -20.00 EUR

                """
        )
        #expect(
            try ledger.run("income-statement", "--depth", "2", "--format", "csv").output == """
                section,account,commodity,amount
                income,income:salary,EUR,500.00
                expenses,expenses:food,EUR,20.00
                net,,EUR,480.00

                """
        )
    }

    @Test func theBalanceSheetHasTheBalancesAtTheEndOfADay() throws {
        let ledger = try imported()

        #expect(
            try ledger.run("balance-sheet").output == """
                Balance sheet

                Assets
                1469.00 EUR  assets:bank:checking
                      3 X    assets:depot
                -----------
                1469.00 EUR
                      3 X

                Liabilities
                  70.00 EUR  liabilities:card
                -----------
                  70.00 EUR

                Net
                1399.00 EUR
                      3 X

                """
        )
        let early = try ledger.run(
            "balance-sheet", "--equity", "--end", "2026-01-31", "--format", "json", "--depth", "1")
        #expect(
            early.output == """
                [
                  {
                    "account" : "assets",
                    "amount" : "1000.00",
                    "commodity" : "EUR",
                    "section" : "assets"
                  },
                  {
                    "account" : "liabilities",
                    "amount" : "50.00",
                    "commodity" : "EUR",
                    "section" : "liabilities"
                  },
                  {
                    "account" : "equity",
                    "amount" : "950.00",
                    "commodity" : "EUR",
                    "section" : "equity"
                  },
                  {
                    "account" : "",
                    "amount" : "950.00",
                    "commodity" : "EUR",
                    "section" : "net"
                  }
                ]

                """
        )
        #expect(early.errors == "")
    }

    @Test func balancesRegisterAndAccountsHaveAPeriodADepthAndATree() throws {
        let ledger = try imported()

        #expect(
            try ledger.run("balance", "assets", "--tree").output == """
                1469.00 EUR  assets
                      3 X    assets
                1469.00 EUR    bank
                1469.00 EUR      checking
                      3 X      depot
                -----------
                1469.00 EUR
                      3 X

                """
        )
        #expect(
            try ledger.run("balance", "--begin", "2026-02-02", "--end", "2026-02-03", "--depth", "1").output == """
                 20.00 EUR  expenses
                -20.00 EUR  liabilities
                ----------
                     0

                """
        )
        #expect(
            try ledger.run("register", "liabilities", "--begin", "2026-02-01", "--format", "csv").output.hasSuffix(
                ",2026-02-02,food,liabilities:card,EUR,-20.00,-70.00\n")
        )
        #expect(try ledger.run("accounts", "FOOD", "--tree").output == "expenses\n  food\n    in\n    out\n")
        #expect(
            try ledger.run("accounts", "--begin", "2026-02-04", "--depth", "1", "--format", "csv").output
                == "account\nassets\nsuspense\n"
        )
        #expect(try ledger.run("accounts", "nowhere", "--format", "json").output == "[\n]\n")
    }

    @Test func aWordThatNothingHasIsNamed() throws {
        let ledger = try imported()

        for (arguments, remark) in [
            (["accounts", "nowhere", "never"], "No account matches 'nowhere' or 'never'."),
            (["balance", "food", "-p", "2025"], "No account that matches 'food' has a balance."),
            (["transactions", "pay", "nothing"], "No transaction has the words 'pay' and 'nothing'."),
        ] {
            let outcome = try ledger.run(arguments)
            #expect(outcome.status == 0)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors == "\(remark)\n")
        }
        #expect(try ledger.run("accounts", "food").errors.isEmpty)
        #expect(try ledger.run("transactions", "pay").errors.isEmpty)
    }

    @Test func transactionsAreListedAsAJournalThatCanBeImported() throws {
        let ledger = try imported()

        let list = try ledger.run("transactions").output
        try ledger.write(list, to: "copy.journal")
        #expect(try ledger.run("import", "copy.journal", "--database", "copy.sqlite").status == 0)

        let lines = list.split(separator: "\n", omittingEmptySubsequences: false).filter {
            !$0.contains("transaction: ")
        }
        #expect(
            lines.prefix(11).joined(separator: "\n") == """
                2026-01-01 opening
                    assets:bank:checking  1000.00 EUR
                    liabilities:card       -50.00 EUR
                    equity                -950.00 EUR

                2026-01-31 * (7) pay, "net"
                    ; first
                    assets:bank:checking   500.00 EUR
                    income:salary         -500.00 EUR

                2026-02-02 food
                """
        )
        #expect(list.contains("    assets:depot            3 X   @@ 30 EUR\n"))
        let balances = try ledger.run("balance", "--format", "csv").output
        #expect(try ledger.run("balance", "--format", "csv", "--database", "copy.sqlite").output == balances)
    }

    /// An import checks a sum at the precision of the written amounts: -0.001 USD is nothing at two digits.
    @Test func aListedTransactionBalancesEvenIfOthersHaveMoreDigits() throws {
        let ledger = try LedgerProcess()
        let journal = """
            2026-01-01 shares
                depot    3 AAPL @ 33.333 USD
                bank     -100.00 USD

            2026-01-02 interest
                bank     0.0012 USD
                income

            """
        #expect(try ledger.run("import", "-", input: journal).status == 0)

        let list = try ledger.run("transactions").output
        let copy = try ledger.run("import", "-", "--database", "copy.sqlite", input: list)

        #expect(copy.status == 0, "\(copy.errors)")
        #expect(list.contains("-100.00 USD\n"))
    }

    @Test func transactionsAreFilteredByWordsAccountAndPeriod() throws {
        let ledger = try imported()
        func days(_ arguments: String...) throws -> [String] {
            let rows = try ledger.run(["transactions"] + arguments + ["--format", "csv"]).output.split(separator: "\n")
            return rows.dropFirst().reduce(into: []) { days, row in
                let day = String(row.split(separator: ",")[1].suffix(5))
                if days.last != day { days.append(day) }
            }
        }

        #expect(try days() == ["01-01", "01-31", "02-02", "02-03", "02-04"])
        #expect(try days("--latest", "2") == ["02-04", "02-03"])
        #expect(try days("CHECKING", "pay") == ["01-31"])
        #expect(try days("--account", "assets:bank", "--begin", "2026-02-01") == ["02-03", "02-04"])
        #expect(try days("--end", "2026-01-31") == ["01-01"])
        let all = ["01-01", "01-31", "02-02", "02-03", "02-04"]
        for period in ["2026", "2026Q1", "2026q1"] { #expect(try days("--period", period) == all) }
        #expect(try days("-p", "2026-01") == ["01-01", "01-31"])
        #expect(try days("-p", "2026-01-31") == ["01-31"])
        #expect(try days("-p", "2026Q2") == [])
        #expect(try days("-b", "2026-02", "-e", "2026-02-03") == ["02-02"])
        #expect(try days("-b", "2025", "-e", "2026") == [])
        #expect(try days("-b", "2026", "-e", "2026Q2") == all)
        #expect(try days("-p", "9999") == [])
        #expect(
            try ledger.run("transactions", "--account", "bank").errors.contains("did you mean 'assets:bank:checking'?"))
        #expect(try ledger.run("transactions", "nothing").output == "")
    }

    @Test func aTransactionIsReversedOnceAndTheListNamesBoth() throws {
        let ledger = try imported()
        let before = try ledger.run("balance", "suspense").output
        let rows = try ledger.run("transactions", "odd", "--format", "csv").output.split(separator: "\n")
        let id = String(try #require(rows.last?.split(separator: ",").first))

        let first = try ledger.run("reverse", id, "--date", "2026-03-01", "--comment", "Typed twice.")
        let second = try ledger.run("reverse", id)

        #expect(before == "1.00 EUR  suspense\n")
        #expect(try ledger.run("balance", "suspense").output == "")
        #expect(first.status == 0)
        #expect(first.output.hasPrefix("The transaction \(id) is reversed by the transaction "))
        #expect(first.output.hasSuffix(" on 2026-03-01.\n"))
        #expect(second.status == 1)
        #expect(second.errors.hasPrefix("Error: The transaction \(id) is already reversed by the transaction "))
        let list = try ledger.run("transactions", "odd").output
        #expect(list.contains("2026-03-01 Reversal of 2026-02-04 odd\n"))
        #expect(list.contains("    ; reverses: \(id)\n    ; Typed twice.\n"))
        #expect(list.contains("    ; reversed-by: "))
        let again = try ledger.run("import", "a.journal").output
        #expect(again == "a.journal: 0 transactions posted, 5 posted before\n")
    }

    @Test func theRulesOfTheAccountsAreListed() throws {
        let ledger = try imported()
        #expect(try ledger.run("rules").output == "")
        #expect(try ledger.run("rule", "assets:depot", "--never-below-zero").status == 0)
        #expect(try ledger.run("rule", "suspense", "--closed-from", "2026-03-01", "--never-below-zero").status == 0)

        #expect(
            try ledger.run("rules").output == """
                assets:depot  never below zero
                suspense      never below zero, closed from 2026-03-01

                """
        )
        #expect(
            try ledger.run("rules", "SUSP", "--format", "csv").output
                == "account,never_below_zero,closed_from\nsuspense,true,2026-03-01\n"
        )
    }

    @Test func aRuleIsPrintedWithoutAnOptionAndRemovedByAnOption() throws {
        let ledger = try imported()
        #expect(try ledger.run("rule", "assets:depot").output == "The account has no rule.\n")
        #expect(try ledger.run("rule", "assets", "--closed-from", "2027-01-01").status == 0)
        #expect(try ledger.run("rule", "assets:depot", "--never-below-zero").status == 0)

        for _ in 1...2 {
            #expect(
                try ledger.run("rule", "assets:depot").output == """
                    assets        closed from 2027-01-01
                    assets:depot  never below zero

                    """
            )
        }

        #expect(try ledger.run("rule", "assets:depot", "--remove", "--never-below-zero").status == 64)
        #expect(try ledger.run("rule", "assets:depot", "--remove").status == 0)
        #expect(try ledger.run("rules").output == "assets  closed from 2027-01-01\n")
        #expect(try ledger.run("rule", "nowhere").errors.contains("The ledger has no account 'nowhere'."))
    }

    /// The amount that balances the second transaction has twelve digits.
    @Test func aComputedAmountDoesNotLengthenTheOthers() throws {
        let ledger = try LedgerProcess()
        let journal = """
            2026-01-01 opening
                cash     100 EUR
                equity   -100.00 EUR

            2026-01-02 shares
                depot    3 X @ 1.234567890123 EUR
                cash

            """
        #expect(try ledger.run("import", "-", input: journal).status == 0)

        #expect(
            try ledger.run("balance").output == """
                96.296296329631 EUR  cash
                              3 X    depot
                        -100.00 EUR  equity
                -------------------
                -3.703703670369 EUR
                              3 X

                """
        )
        let register = try ledger.run("register", "cash").output
        #expect(register.contains("100.00"))
        #expect(!register.contains("100.000"))
    }

    @Test func tablesHaveTheColumnsOfTheServerAndNoFormulas() throws {
        let ledger = try LedgerProcess()
        #expect(try ledger.run("import", "-", input: "2026-01-01 =1+1\n    @a   2 X @@ 6 EUR\n    -b\n").status == 0)

        func table(_ arguments: String...) throws -> [String] {
            // The identifiers differ.
            try ledger.run(arguments + ["--format", "csv"]).output.split(separator: "\n").map {
                $0.split(separator: ",", omittingEmptySubsequences: false).dropFirst().joined(separator: ",")
            }
        }

        #expect(
            try table("transactions") == [
                "date,status,code,description,comment,account,commodity,amount,unit_cost,total_cost,reverses,reversed_by",
                "2026-01-01,unmarked,,'=1+1,,'@a,X,2,,6 EUR,,", "2026-01-01,unmarked,,'=1+1,,'-b,EUR,-6,,,,",
            ])
        #expect(
            try table("register", "@a") == [
                "date,description,account,commodity,amount,balance", "2026-01-01,'=1+1,'@a,X,2,2",
            ])
        #expect(try ledger.run("accounts", "--format", "csv").output == "account\n'-b\n'@a\n")
        #expect(try ledger.run("accounts", "--format", "json").output.contains("\"account\" : \"@a\""))
    }
}
