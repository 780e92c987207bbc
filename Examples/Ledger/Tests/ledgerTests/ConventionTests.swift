// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceTesting
import LedgerBooks
import Testing

@testable import ledger

/// The conventions of command-line programs.
@Suite(.timeLimit(.minutes(3))) struct ConventionTests {
    @Test func theVersionIsTheLatestOfTheChangelog() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
        let changelog = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let latest = try #require(changelog.split(separator: "\n").first { $0.hasPrefix("## ") }).dropFirst(3)

        #expect(try LedgerProcess().run("--version").output == "\(latest)\n")
    }

    @Test func aJournalIsReadFromTheStandardInputUnderAName() throws {
        let ledger = try LedgerProcess()
        let text = "2026-01-01 x\n    a   1 EUR\n    b\n"

        #expect(try ledger.run("import", "-", input: text).output == "standard input: 1 transaction posted\n")
        #expect(
            try ledger.run("import", "-", "--name", "bank.journal", input: text + "; more\n").output
                == "bank.journal: 1 transaction posted\n"
        )
        #expect(
            try ledger.run("import", "-", "--name", "bank.journal", input: text).output
                == "bank.journal: 0 transactions posted, as 'standard input' has the same content and was imported before\n"
        )
        let broken = try ledger.run("import", "-", "--name", "bank.journal", input: text + "\nnonsense\n")
        #expect(broken.status == 1)
        #expect(broken.errors.hasPrefix("Error: standard input:5:1: "))
        let unbalanced = try ledger.run(
            "import", "-", "--keep", input: "\n2026-01-01 x\n    a   1 EUR\n    b   2 EUR\n")
        #expect(unbalanced.errors.hasPrefix("Error: standard input:2: "))
        let calls = [
            ["import", "-", "-"], ["import", "a.journal", "--name", "b"], ["import", "-", "--name", ""],
            ["import", "-", "--name", "a/b"],
        ]
        for arguments in calls { #expect(try ledger.run(arguments).status == 64, "\(arguments)") }
    }

    @Test func amountsOfACommodityHaveTheSameDigitsInEveryReport() throws {
        let ledger = try LedgerProcess()
        let journal = """
            2026-01-01 x
                a   1.5 EUR
                b

            2026-01-02 digits that no balance needs
                c   0.333 EUR
                c   0.667 EUR
                b   -1 EUR

            2026-01-03 y
                a   2 EUR
                depot   -3 ETF @ 0.6 EUR
                b

            """
        #expect(try ledger.run("import", "-", input: journal).status == 0)

        #expect(
            try ledger.run("balance").output == """
                 3.500 EUR  a
                -2.700 EUR  b
                 1.000 EUR  c
                    -3 ETF  depot
                ----------
                    -3 ETF
                 1.800 EUR

                """
        )
        #expect(
            try ledger.run("balance", "--format", "csv").output == """
                account,commodity,amount
                a,EUR,3.500
                b,EUR,-2.700
                c,EUR,1.000
                depot,ETF,-3

                """
        )
        #expect(try ledger.run("balance", "c", "--format", "json").output.contains("\"amount\" : \"1.000\""))
        #expect(try ledger.run("balance", "a").output == "3.500 EUR  a\n")
        #expect(
            try ledger.run("register", "a").output == """
                2026-01-01  x  a  1.500 EUR  1.500 EUR
                2026-01-03  y  a  2.000 EUR  3.500 EUR

                """
        )
    }

    @Test(arguments: [
        (ENOENT, "there is no such file"), (ENOTDIR, "a part of the path isn't a folder"),
        (EACCES, "this user may not read it"), (EPERM, "this user may not read it"),
        (ENAMETOOLONG, "its name is too long"), (EIO, "the system reports the error 5"),
    ])
    func anUnreadableFileIsReportedWithCauseAndRemedy(number: Int32, reason: String) throws {
        let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
        let error = CocoaError(.fileReadUnknown, userInfo: [NSUnderlyingErrorKey: cause])

        let text = CommandFailure(reading: "a.journal", error).description

        #expect(text.hasPrefix("'a.journal' can't be read: \(reason). To fix, "))
        #expect(!text.contains("Cocoa") && !text.contains("Domain"))
    }

    @Test func missingFilesAndFoldersAreReported() throws {
        let ledger = try LedgerProcess()
        try ledger.write("", to: "file")

        let missing = try ledger.run("import", "none")
        #expect(missing.errors.hasPrefix("Error: 'none' can't be read: there is no such file. To fix, "))
        #expect(try ledger.run("import", ".").errors.hasPrefix("Error: '.' can't be read: it is a folder."))
        #expect(try ledger.run("import", "file/x").errors.contains("a part of the path isn't a folder"))
    }

    @Test func messagesHaveNoErrorCodes() throws {
        let date = try #require(BookDate("2026-01-01"))
        let coded: [any Error] = [
            StoreError(code: .full, message: "It is full."),
            try #require(throws: QuantityError.self) { try Quantity(mantissa: .max) },
            try #require(throws: PostingRefusal.self) { try TransactionDraft(date: date).balanced() },
        ]
        for error in coded {
            let message = CommandFailure.message(of: error)
            #expect("\(error)" == message)
            #expect(message.first?.isUppercase == true)
        }
    }

    @Test func progressIsALineWithABarARateAndTheRemainingTimeWithoutEscapeSequencesIfTheyAreUnwanted() {
        let plain = [["NO_COLOR": "1"], ["TERM": "dumb"], ["NO_COLOR": "yes", "TERM": "xterm"]]
        for environment in plain + [[:], ["NO_COLOR": "", "TERM": "xterm"]] {
            let clock = TestClock()
            let progress = TerminalProgress(environment: environment, clock: clock)
            let name = String(repeating: "n", count: 30)
            var lines = [progress.line(of: name, done: 0, total: 10_000)]
            clock.advance(by: .seconds(2))
            lines.append(progress.line(of: name, done: 500, total: 10_000))
            clock.advance(by: .seconds(7_200))
            lines.append(progress.line(of: name, done: 5_000, total: 10_000))
            lines.append(progress.line(of: name, done: 10_000, total: 10_000))

            let isPlain = plain.contains(environment)
            let start = isPlain ? "\r" : "\r\u{1B}[K"
            let short = name.prefix(22)
            let expected = [
                "\(short): [--------------------] 0 %",
                "\(short): [#-------------------] 5 %  250/s  0:38 left",
                "\(short): [##########----------] 50 %  0/s  2:00:02 left",
                "",
            ]
            let trimmed = lines.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \r")) }
            #expect(trimmed == expected.map { isPlain ? $0 : "\u{1B}[K" + $0 })
            #expect(lines.allSatisfy { $0.hasPrefix(start) && $0.contains("\u{1B}") != isPlain })
            // A shorter line overwrites a longer one, and no line is wider than a terminal.
            let widths = Set(lines.map { $0.filter { $0 != "\r" }.count })
            #expect(!isPlain || widths == [77])
        }
    }

    @Test func coloursAreOnlyInATerminalThatAllowsThem() throws {
        let style = AmountStyle([:])
        let amounts = [
            Amount(try Quantity(mantissa: -5, scale: 0), "EUR"), Amount(try Quantity(mantissa: 12, scale: 0), "X Y"),
        ]
        let coloured = AmountColumn(amounts, style, terminal: TerminalStyle(usesEscapeSequences: true))
        let plain = AmountColumn(amounts, style)

        #expect(amounts.map { plain.text(of: $0) } == ["-5 EUR  ", "12 \"X Y\""])
        #expect(amounts.map { coloured.text(of: $0) } == ["\u{1B}[31m-5 EUR  \u{1B}[0m", "12 \"X Y\""])
        #expect(TerminalStyle.allowsEscapeSequences(["TERM": "xterm", "NO_COLOR": ""]))
        #expect(!TerminalStyle.allowsEscapeSequences(["TERM": "xterm", "NO_COLOR": "1"]))
        #expect(!TerminalStyle.allowsEscapeSequences(["TERM": "dumb"]))
    }

    @Test func shellsCompleteTheDatabaseAndTheJournals() throws {
        let script = try LedgerProcess().run("--generate-completion-script", "bash").output

        #expect(script.contains("sqlite|sqlite3|db"))
        #expect(script.contains("journal|j|hledger|ledger"))
    }
}
