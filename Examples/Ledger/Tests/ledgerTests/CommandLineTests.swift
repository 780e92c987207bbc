// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LedgerTestSupport
import Testing

private let journal = """
    2026-01-01 "quoted", name
        assets:cash            1,000.50 EUR
        income:gift, "big"    -1000.50 EUR

    2026-01-02 shares
        assets:depot           3 "X Y" @@ 30 EUR
        assets:cash

    2026-01-03 nothing
        expenses:none          1 EUR
        expenses:none         -1 EUR

    """

/// Command lines and their exit codes.
private let calls: [(arguments: [String], status: Int32)] = [
    (["unknown"], 64), (["import"], 64), (["balance", "--format", "xml"], 64), (["register"], 64),
    (["import", "missing.journal"], 1), (["import", "."], 1), (["balance"], 1), (["accounts"], 1),
    (["register", "a"], 1), (["import", "empty.journal", "--database", "no/such/folder/b.sqlite"], 1),
    (["import", "empty.journal", "--database", "."], 1), (["import", "empty.journal", "--database", ""], 1),
    (["import", "empty.journal", "--database", "text.sqlite"], 1), (["--help"], 0), (["import", "empty.journal"], 0),
    (["balance", "--depth", "0"], 64), (["balance", "--begin", "2026-13"], 64),
    (["balance", "-p", "2026Q5"], 64), (["balance", "-p", "2026", "-e", "2027"], 64), (["help", "nope"], 64),
    ([], 0), (["help"], 0), (["help", "balance"], 0), (["help", "help"], 0), (["balance", "--begin", "2026"], 1),
    (["transactions", "--begin", "2026-02-01", "--end", "2026-02-01"], 64), (["transactions", "--latest", "0"], 64),
    (["reverse"], 64), (["reverse", "1"], 64), (["reverse", "00000000-0000-0000-0000-000000000000"], 1),
    (["rule", "a", "--closed-from", "soon"], 64), (["income-statement"], 1), (["balance-sheet", "--end", "x"], 64),
]

@Suite struct CommandLineTests {
    @Test func theTourImportsTheSampleAndNeverOverwritesADatabase() throws {
        let ledger = try LedgerProcess()

        let first = try ledger.run("tour")
        let second = try ledger.run("tour")

        #expect(first.status == 0)
        #expect(first.output.contains("14 transactions posted"))
        #expect(first.output.contains("14 × transaction-posted"))
        #expect(first.output.contains("assets:bank:checking"))
        #expect(first.output.contains("register assets:bank:checking --database ledger-tour.sqlite"))
        #expect(second.output.contains("ledger-tour-2.sqlite"))
        #expect(try ledger.files().contains("ledger-tour.sqlite"))
        #expect(try ledger.files().contains("ledger-tour-2.sqlite"))
    }

    @Test func allTransactionsThatDoNotBalanceAreShownAndNoJournalIsImported() throws {
        let ledger = try LedgerProcess()
        try ledger.write(journal, to: "good.journal")
        try ledger.write(
            """
            2026-01-01 * (7) wages
                assets:cash       100.00 EUR
                income:wages      -90.00 EUR

            2026-01-02 tea
                expenses:tea        2 EUR
                expenses:tea

            2026-01-03 shares
                assets:depot        3 X @ 2 EUR
                assets:cash        -7 EUR

            """, to: "bad.journal")

        for files in [["bad.journal"], ["good.journal", "bad.journal"]] {
            let outcome = try ledger.run(["import"] + files)
            #expect(outcome.status == 1)
            #expect(
                outcome.errors == """
                    Error: bad.journal:1: The postings add up to 10.00 EUR instead of zero. To fix, correct an amount, or omit one amount to have it computed.
                        2026-01-01 * (7) wages
                            assets:cash   100.00 EUR
                            income:wages  -90.00 EUR

                    bad.journal:9: The postings add up to -1 EUR instead of zero. To fix, correct an amount, or omit one amount to have it computed.
                        2026-01-03 shares
                            assets:depot   3 X   @ 2 EUR
                            assets:cash   -7 EUR

                    Nothing was imported.

                    """)
            #expect(try ledger.files() == ["bad.journal", "good.journal"])
        }
    }

    @Test func balancesAreExactInEveryFormat() throws {
        let ledger = try LedgerProcess()
        try ledger.write(journal, to: "a.journal")
        #expect(try ledger.run("import", "a.journal").status == 0)

        #expect(
            try ledger.run("balance", "--format", "csv").output == """
                account,commodity,amount
                assets:cash,EUR,970.50
                assets:depot,X Y,3
                "income:gift, ""big\""",EUR,-1000.50

                """
        )
        #expect(
            try ledger.run("balance", "depot", "--format", "json").output == """
                [
                  {
                    "account" : "assets:depot",
                    "amount" : "3",
                    "commodity" : "X Y"
                  }
                ]

                """
        )
        #expect(
            try ledger.run("balance", "assets").output == """
                970.50 EUR    assets:cash
                     3 "X Y"  assets:depot
                ------------
                970.50 EUR
                     3 "X Y"

                """
        )
    }

    @Test func registerAndAccountsArePrinted() throws {
        let ledger = try LedgerProcess()
        try ledger.write(journal, to: "a.journal")
        _ = try ledger.run("import", "a.journal", "--database", "b.sqlite")

        let register = try ledger.run("register", "assets:cash", "--database", "b.sqlite")
        let accounts = try ledger.run("accounts", "--database", "b.sqlite")

        #expect(
            register.output == """
                2026-01-01  "quoted", name  assets:cash  1000.50 EUR  1000.50 EUR
                2026-01-02  shares          assets:cash   -30.00 EUR   970.50 EUR

                """
        )
        #expect(accounts.output == "assets:cash\nassets:depot\nexpenses:none\nincome:gift, \"big\"\n")
    }

    @Test func severalJournalsAreImportedAndNoTransactionTwice() throws {
        let ledger = try LedgerProcess()
        try ledger.write(journal, to: "a.journal")
        try ledger.write("2026-02-01 more\n    a   1 EUR\n    b\n", to: "b.journal")

        let first = try ledger.run("import", "a.journal", "b.journal")
        let second = try ledger.run("import", "a.journal", "b.journal")

        #expect(first.output == "a.journal: 3 transactions posted\nb.journal: 1 transaction posted\n")
        #expect(
            second.output == """
                a.journal: 0 transactions posted, 3 posted before
                b.journal: 0 transactions posted, 1 posted before

                """
        )
        #expect(second.errors == "")
    }

    @Test func includedFilesOfTheFolderAreImportedAndNoTransactionTwice() throws {
        let ledger = try LedgerProcess()
        try ledger.write(
            "Y2026\nalias x = assets:x\ninclude part-*.journal\n1/3\n  x  4 EUR\n  b\n", to: "main.journal")
        try ledger.write("1/1\n  x  1 EUR\n  b\n", to: "part-1.journal")
        try ledger.write("alias x = no\n1/2\n  x  2 EUR\n  b\n  (v)  5 EUR\n", to: "part-2.journal")

        #expect(
            try ledger.run("import", "main.journal").output
                == "main.journal: 3 transactions posted; left out: 1 virtual posting\n")
        #expect(try ledger.run("import", "main.journal").output.contains("0 transactions posted, 3 posted before"))
        #expect(
            try ledger.run("balance", "--format", "csv").output
                == "account,commodity,amount\nassets:x,EUR,5\nb,EUR,-7\nno,EUR,2\n")

        try ledger.write("2026-01-04\n  x  1 EUR\n  b  1 EUR\n", to: "part-3.journal")
        let unbalanced = try ledger.run("import", "main.journal")
        #expect(unbalanced.errors.contains("part-3.journal:1: "))
    }

    @Test(arguments: [
        "../other.journal", "missing.journal", "m*.journal", "**/a.journal", "~/a.journal", "hours.timedot", "**",
        "part{1,2}.journal", "part<1-2>.journal", "[m.journal", "[z-a].journal", "journal:missing.journal",
        "/etc/hostname",
        "csv:a.journal", "",
    ])
    func otherIncludesAreRefusedWithTheirLine(pattern: String) throws {
        let ledger = try LedgerProcess()
        try ledger.write("; first\ninclude \(pattern)\n", to: "main.journal")

        let outcome = try ledger.run("import", "main.journal")

        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("Error: main.journal:2:1: "))
        #expect(outcome.errors.contains("To fix,"))
    }

    /// Hidden folders and links to folders are left out.
    @Test func patternsFindFilesInFoldersBelow() throws {
        let ledger = try LedgerProcess()
        for folder in ["sub", "sub/deep", ".hidden"] {
            try FileManager.default.createDirectory(
                at: ledger.folder.appending(path: folder), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            at: ledger.folder.appending(path: "sub/loop"), withDestinationURL: ledger.folder)
        for (index, name) in ["1.j", "2.j", "sub/1.j", "sub/deep/1.j", ".hidden/1.j", ".3.j"].enumerated() {
            try ledger.write("2026-01-01 \(name)\n    a\(index)   1 EUR\n    b\n", to: name)
        }
        func accounts(_ pattern: String) throws -> [String] {
            try ledger.write("include \(pattern)\n", to: "main.journal")
            let database = "\(UUID()).sqlite"
            try #require(try ledger.run("import", "main.journal", "--database", database).status == 0)
            return try ledger.run("accounts", "a", "--database", database).output.split(separator: "\n").map {
                String($0)
            }
        }

        func transactions(_ pattern: String) throws -> Int {
            try ledger.write("include \(pattern)\n", to: "main.journal")
            let database = "\(UUID()).sqlite"
            let output = try ledger.run("import", "main.journal", "--database", database).output
            return Int(output.split(separator: " ").dropFirst().first ?? "") ?? 0
        }

        #expect(try accounts("**/1.j") == ["a0", "a2", "a3"])
        #expect(try accounts("**/*.j") == ["a0", "a1", "a2", "a3"])
        #expect(try accounts("sub/**/1.j") == ["a2", "a3"])
        #expect(try transactions("**/**/1.j") == 3)
        #expect(try transactions("**/**/**/deep/**/1.j") == 1)
        #expect(try accounts("[1-2].j") == ["a0", "a1"])
        #expect(try accounts("[!1].j") == ["a1"])
        #expect(try accounts("[]1].j") == ["a0"])
        #expect(try accounts("**.j") == ["a0", "a1"])
        #expect(try accounts("journal:sub/?.j") == ["a2"])
    }

    /// An error in one of several journals leaves the ledger unchanged.
    @Test func nothingIsImportedIfOneJournalIsInvalid() throws {
        let ledger = try LedgerProcess()
        try ledger.write(journal, to: "a.journal")
        try ledger.write("2026-02-01 broken\n    a   1 EUR = 5 EUR\n    b\n", to: "b.journal")
        try ledger.write("2026-02-01 unbalanced\n    a   1 EUR\n    b   1 EUR\n", to: "c.journal")

        let broken = try ledger.run("import", "a.journal", "b.journal")
        #expect(broken.status == 1)
        #expect(broken.errors.hasPrefix("Error: b.journal:"))
        #expect(try !ledger.files().contains("ledger.sqlite"))

        let unbalanced = try ledger.run("import", "c.journal")
        #expect(unbalanced.status == 1)
        #expect(unbalanced.errors.hasPrefix("Error: c.journal:1: "))
        #expect(try ledger.run("accounts").output == "")
        #expect(try ledger.files() == ["a.journal", "b.journal", "c.journal"])
    }

    /// A shell opens a pipe for '<(…)'.
    @Test func pipesAreJournals() throws {
        let ledger = try LedgerProcess()
        try ledger.write(journal, to: "a.journal")
        let pipe = "exec 9< <(cat a.journal)"

        #expect(
            try ledger.run(["import", "/dev/fd/9"], after: pipe).output == "standard input: 3 transactions posted\n")
        #expect(
            try ledger.run(["import", "/dev/fd/9", "--name", "bank"], after: pipe).output
                == "bank: 0 transactions posted, as 'standard input' has the same content and was imported before\n")
        #expect(
            try ledger.run(["import", "b.journal"], after: "mkfifo b.journal; { cat a.journal > b.journal & }").output
                == "b.journal: 0 transactions posted, as 'standard input' has the same content and was imported before\n"
        )
        #expect(try ledger.run(["import", "-", "/dev/fd/9"], after: pipe).status == 64)
    }

    @Test func severalTransactionsWithoutAmountsAreCounted() throws {
        let ledger = try LedgerProcess()
        try ledger.write("2026-01-01 one\n\n2026-01-02 two\n", to: "a.journal")

        #expect(
            try ledger.run("import", "a.journal").output
                == "a.journal: 0 transactions posted; left out: 2 transactions without amounts\n")
    }

    @Test func namesCannotChangeTheDirectionOfText() throws {
        let ledger = try LedgerProcess()
        try ledger.write("2026-01-01 x\u{202E}y\n    a  1 EUR\n    b\n", to: "a.journal")
        try ledger.write("2026-01-01 x\n    a\u{202E}  1 EUR\n    b\n", to: "b.journal")

        #expect(try ledger.run("import", "a.journal").status == 0)
        #expect(try ledger.run("transactions").output.contains("x\u{FFFD}y"))
        let refused = try ledger.run("import", "b.journal")
        #expect(refused.errors.contains("b.journal:1: The account 'a\u{FFFD}' has the invisible character U+202E"))
    }

    @Test(.fileOnly(.file), arguments: calls)
    func exitCodesFollowTheConventionAndFailuresHaveAReason(arguments: [String], status: Int32) throws {
        let ledger = try LedgerProcess()
        try ledger.write("", to: "empty.journal")
        try ledger.write(String(repeating: "This is no database. ", count: 100), to: "text.sqlite")

        let outcome = try ledger.run(arguments)

        #expect(outcome.status == status)
        #expect(outcome.errors.isEmpty == (status == 0))
        if status == 1 { #expect(outcome.errors.contains("To fix, ")) }
    }

    @Test func anUnknownCommandIsReportedWithTheKnownCommands() throws {
        let outcome = try LedgerProcess().run("balances")

        #expect(outcome.status == 64)
        #expect(
            outcome.errors.hasPrefix(
                "Error: There is no command 'balances'. To fix, use one of 'tour', 'import', 'balance', 'income-statement',"
            ))
    }

    @Test func withoutACommandTheHelpIsPrintedAndNothingIsWritten() throws {
        let ledger = try LedgerProcess()

        #expect(try ledger.run().output.contains("Begin with 'ledger tour'"))
        #expect(try ledger.files().isEmpty)
    }

    @Test(.fileOnly(.file)) func aDatabaseOfALaterVersionIsLeftAlone() throws {
        let ledger = try LedgerProcess()
        try ledger.write(journal, to: "a.journal")
        _ = try ledger.run("import", "a.journal")
        let database = try DatabaseQueue(path: ledger.folder.appending(path: "ledger.sqlite").path())
        try database.write {
            try $0.execute(sql: "UPDATE headrace_entity_kind SET schema_version = 99 WHERE name = 'account'")
        }
        try database.close()

        let outcome = try ledger.run("balance")

        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("'ledger.sqlite' was written by a later version"))
    }

    @Test(arguments: [
        [UInt8](repeating: 0, count: 4096), [0xFF, 0xFE, 0x41, 0x00], Array("2026-01-01 caf".utf8) + [0xE9, 0x0A],
        Array("\u{1B}[2Jwhat".utf8), Array("2026-13-45 no such day\n".utf8),
    ])
    func garbageIsReportedInOnePrintableLine(bytes: [UInt8]) throws {
        let ledger = try LedgerProcess()
        try Data(bytes).write(to: ledger.folder.appending(path: "garbage.journal"))

        let outcome = try ledger.run("import", "garbage.journal")

        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("Error: garbage.journal:1"))
        #expect(!outcome.errors.contains("\u{1B}"))
        #expect(!outcome.errors.contains("\0"))
        #expect(try !ledger.files().contains("ledger.sqlite"))
    }

    @Test func aHundredMegabytesOnOneLineAreRefused() throws {
        let ledger = try LedgerProcess()
        let path = ledger.folder.appending(path: "long.journal")
        try Data().write(to: path)
        let file = try FileHandle(forWritingTo: path)
        let piece = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
        for _ in 1...100 { try file.write(contentsOf: piece) }
        try file.close()

        let outcome = try ledger.run("import", "long.journal")

        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("Error: long.journal:1"))
    }

    @Test func namesCannotMoveTheCursor() throws {
        let ledger = try LedgerProcess()
        try ledger.write("2026-01-01 x\n    evil:\u{9B}31m   1 EUR\n    b\n", to: "a.journal")

        let imported = try ledger.run("import", "a.journal")
        let balance = try ledger.run("balance")

        if imported.status == 0 { #expect(!balance.output.unicodeScalars.contains("\u{9B}")) }
        #expect(!imported.errors.unicodeScalars.contains("\u{9B}"))
    }

    @Test func datesWithoutAYearNeedAYear() throws {
        let ledger = try LedgerProcess()
        try ledger.write("1/2 x\n    a  1 EUR\n    b\n", to: "a.journal")

        let refused = try ledger.run("import", "a.journal")
        let accepted = try ledger.run("import", "--year", "2021", "a.journal")

        #expect(refused.status == 1)
        #expect(refused.errors.contains("'--year 2024'"))
        #expect(accepted.output == "a.journal: 1 transaction posted\n")
        #expect(try ledger.run("register", "a").output.contains("2021-01-02"))
        #expect(try ledger.run("import", "--year", "0", "a.journal").status == 64)
    }

    @Test func theSameContentOfAnotherYearIsAnotherJournal() throws {
        let ledger = try LedgerProcess()
        for name in ["a.journal", "b.journal"] { try ledger.write("1/2 x\n    a  1 EUR\n    b\n", to: name) }

        _ = try ledger.run("import", "--year", "2021", "a.journal")
        let second = try ledger.run("import", "--year", "2022", "b.journal")

        #expect(second.output == "b.journal: 1 transaction posted\n")
        #expect(try ledger.run("register", "a").output.contains("2022-01-02"))
    }
}
