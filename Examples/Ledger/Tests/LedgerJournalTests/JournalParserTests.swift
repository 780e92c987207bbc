// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerJournal
import Testing

@Suite struct JournalParserTests {
    @Test(arguments: ["", "\n", "\u{FEFF}", "\u{FEFF}\n\n", "; only a comment", " \t \n\r\n", "comment\nto the end"])
    func aJournalWithoutTransactionsIsEmpty(text: String) throws {
        #expect(try parse(text).entries.isEmpty)
    }

    @Test func allPartsOfATransactionAreKept() throws {
        let journal = try parse(
            """
            ; first line
            2024/2/29 * (code 7) Café | two loaves  ; on the line
              ; below it
              ! assets:cash  -5.00 EUR  ; by hand
              ; and
              ; again
              expenses:food	 2 "brown bread" @@ $5.50;comment
            """
        )

        let expected = TransactionDraft(
            date: try #require(BookDate("2024-02-29")),
            status: .cleared,
            code: "code 7",
            description: "Café | two loaves",
            comment: "on the line\nbelow it",
            postings: [
                PostingDraft(
                    account: "assets:cash",
                    amount: Amount(try Quantity(mantissa: -500, scale: 2), "EUR"),
                    status: .pending,
                    comment: "by hand\nand\nagain"
                ),
                PostingDraft(
                    account: "expenses:food",
                    amount: Amount(try Quantity(mantissa: 2), "brown bread"),
                    cost: .total(Amount(try Quantity(mantissa: 550, scale: 2), "$")),
                    comment: "comment"
                ),
            ]
        )
        #expect(journal.file == "test")
        #expect(journal.entries == [Journal.Entry(transaction: expected, line: 2)])
        #expect(journal.skippedDirectives.isEmpty)
    }

    @Test func theScaleOfTheTextIsKept() throws {
        let journal = try parse("2024-01-01\n  a  1,234.50 EUR\n  b  1. EUR\n  c  .5 EUR\n  d  1,000 EUR\n")

        let written = try #require(journal.entries.first).transaction.postings.map { $0.amount?.description }
        #expect(written == ["1234.50 EUR", "1 EUR", "0.5 EUR", "1.000 EUR"])
    }

    @Test func ignoredDirectivesAreCountedByKeyword() throws {
        let journal = try parse(
            """
            account a
              note below
            account b ; comment
            P 2024-01-01 A 2 B
            Y2024
            Y 2023
            commodity EUR
              format 1.000,00 EUR
            D $1.00
            decimal-mark .
            payee x
            tag y
            end tag
            comment
            account c
            end comment
            """
        )

        #expect(
            journal.skippedDirectives == [
                "account": 2, "P": 1, "payee": 1, "tag": 1, "end tag": 1,
            ]
        )
    }

    @Test(arguments: [
        ("D $1.00", 0), ("decimal-mark ,", 0), ("comment\nx\nend comment", 0),
        ("commodity 1,000.00 EUR", 0), ("commodity EUR\n  format 1.000,00 EUR", 0),
        ("commodity EUR\n  note money\n  format 1.000,00 EUR\n  format 1.000,00 EUR", 0),
        ("commodity EUR", 1), ("commodity EUR\n  note money", 1), ("commodity EUR\ncommodity USD", 2),
    ])
    func effectiveDirectivesAreNotCounted(text: String, count: Int) throws {
        let journal = try parse(text + "\n2024-01-01 x\n  a  1 EUR\n  b\n")

        #expect(journal.skippedDirectives.values.reduce(0, +) == count, "\(journal.skippedDirectives)")
        #expect(try parse(text).skippedDirectives == journal.skippedDirectives)
    }

    @Test(arguments: ["EUR 10", "EUR10", "EUR -10", "- EUR 10", "10 EUR"])
    func aVirtualCostFollowsAWrittenCommodityEvenIfItIsTheDefault(amount: String) throws {
        func costs(of amount: String) throws -> [Cost?] {
            try parse("D 1,000.00 EUR\n2024-01-01\n  a  \(amount) (@) 2 USD\n  b\n").entries
                .flatMap(\.transaction.postings).map(\.cost)
        }

        #expect(try costs(of: amount) == [.unit(Amount(try Quantity(mantissa: 2), "USD")), nil])
        #expect(throws: JournalError.self) { try costs(of: "10") }
        #expect(throws: JournalError.self) { try costs(of: "- 10") }
    }

    @Test func postingDatesAreCountedAndSecondaryDatesOfPostingsAsWell() throws {
        let journal = try parse(
            """
            2024-01-01 ; date:2024-02-01
              ; [2024-02-01]
              a  1 EUR ; date:2024-02-01
              b  ; [2/1=2/2] date2:2/3
              ; [2/3]
              (c)  1 EUR ; below
              ; [2/1]
            """
        )

        #expect(journal.leftOut == ["posting date": 3, "secondary date": 2, "virtual posting": 1])
        #expect(journal.entries.first?.transaction.date.description == "2024-01-01")
        #expect(journal.entries.first?.transaction.postings.first?.comment == "date:2024-02-01")
    }

    @Test func assignmentsAreTheirPostingsAndTheirClaims() throws {
        let journal = try parse(
            """
            2024-01-01
              a  1 USD
              b  2 EUR
              z
            2024-01-02
              z  1 EUR
              (v)  = 9 EUR
              a  == 5 EUR
              b  = 2 EUR
              b  0 EUR = 2 EUR
              y
            """
        )

        let postings = try #require(journal.entries.last).transaction.postings
        #expect(
            postings.map { $0.amount?.description } == ["1 EUR", "5 EUR", "-1 USD", "0 EUR", "0 EUR", nil]
        )
        #expect(journal.entries.first?.assignments == [])
        let assignments = try #require(journal.entries.last).assignments
        #expect(assignments.map(\.postings) == [1..<3, 3..<4])
        #expect(assignments.map(\.claim) == ["== 5 EUR", "= 2 EUR"])
    }

    /// With work for each pair of a claim and a commodity, this test would take several minutes.
    @Test(.timeLimit(.minutes(2)), arguments: ["==", "==*"])
    func aClaimDoesNotLookAtEachCommodity(mark: String) throws {
        let count = 20_000
        var text = "2024-01-01\n  a:b  0 X\n"
        for number in 1...count {
            let commodity = "\"\(number)\""
            // With subaccounts, other balances may remain on the account itself or below it.
            text += mark == "==" ? "  a  1 \(commodity)\n  a  -1 \(commodity)\n" : "  a:b  1 \(commodity)\n"
        }
        text += String(repeating: "  a  0 X \(mark) 0 X\n", count: count) + "  z\n"

        #expect(try parse(text).entries.count == 1)
    }

    @Test func theParserAcceptsUnbalancedTransactionsAfterWhichNoBalanceIsClaimed() throws {
        let journal = try parse("2024-01-02\n  a  1 EUR\n  b  2 EUR\n2024-01-01\n  a  7 EUR = 7 EUR\n  b\n")

        #expect(journal.entries.map(\.line) == [1, 4])
        #expect(journal.entries.map(\.transaction.postings.count) == [2, 2])
    }

    @Test(arguments: [
        ("a  1 EUR = 1 EUR", true), ("a  1 EUR = 1.000 EUR", true), ("a  1 EUR = 1.001 EUR", false),
        ("a  1 EUR = 0 USD", true), ("a  1 EUR = 1", false), ("a:b  1 EUR = 1 EUR", true),
        ("a  1 EUR == 1 EUR", true), ("a  1 EUR == 0 USD", false), ("a  1 EUR =* 1 EUR", true),
        ("a:b  1 EUR\n  a  0 EUR =* 1 EUR", true), ("a:b  1 EUR\n  a  0 EUR =* 0 EUR", false),
        ("a:b  1 EUR\n  a  0 EUR = 0 EUR", true), ("a:b  1 USD\n  a  1 EUR == 1 EUR", true),
        ("a:b  1 USD\n  a  1 EUR ==* 1 EUR", true), ("a  1 USD\n  a  1 EUR ==* 1 EUR", false), ("a  0 = 1", false),
        ("a:b  -1 USD\n  a  1 USD\n  a  1 EUR ==* 1 EUR", true),
        ("a  1 EUR = 1 EUR @ 9 USD", true), ("(a)  2 EUR\n  a  1 EUR = 3 EUR", true),
        ("[a]  2 EUR\n  [b]\n  a  1 EUR = 3 EUR", true), ("[b]  2 EUR\n  [a]\n  a  1 EUR = -1 EUR", true),
    ])
    func balanceAssertionsAreChecked(posting: String, holds: Bool) throws {
        let text = "2024-01-01\n  \(posting)\n  c\n"

        #expect((try? parse(text)) != nil || !holds)
        #expect(holds || error(reading: [UInt8](text.utf8))?.code == .failedAssertion)
    }

    @Test func aLongTransactionIsParsedInOnePass() throws {
        let count = 20_000
        let text = "2024-01-01\n" + (1...count).map { "  a:\($0)  \($0) EUR ; c\n" }.joined() + "  b\n"

        let postings = try #require(parse(text).entries.first).transaction.balanced()

        #expect(postings.count == count + 1)
        #expect(postings.last?.amount.description == "-\(count * (count + 1) / 2) EUR")
    }

    @Test func aDefaultYearCountsUntilADirectiveSetsAnother() throws {
        let text = "1/2 a\n  a  1\n  b\nY2023\n3/4 c\n  a  = 5\n  b\n"
        let parser = JournalParser(defaultYear: 2021)

        let whole = try parser.parse([UInt8](text.utf8), file: "test").entries
        var entries = parser.entries(of: [UInt8](text.utf8), file: "test")
        var dates: [String] = []
        while let entry = try entries.next() { dates.append(entry.transaction.date.description) }

        #expect(whole.map(\.transaction.date.description) == ["2021-01-02", "2023-03-04"])
        #expect(dates == ["2021-01-02", "2023-03-04"])
        #expect(throws: JournalError.self) { try parse(text) }
    }

    @Test(arguments: [
        ("account a  ; type:A", "a asset"), ("account a  ; x, type: cash ,y", "a asset"),
        ("account a b  ; type:l", "a b liability"),
        ("account a\n  ; note\n  ; type:V", "a equity"), ("account a  ; type:R\naccount a  ; type:X", "a expense"),
        ("apply account p\nalias p:a = q\naccount a  ; type:Revenue", "q income"), ("account a  ; subtype:A", ""),
        ("account a ; type:A", ""), ("account a\n\n; type:A", ""), ("payee a  ; type:A", ""),
        ("account a  ; type:G", "a income"),
    ])
    func accountsHaveTheTypesOfTheirTags(text: String, type: String) throws {
        var entries = JournalParser().entries(of: [UInt8](text.utf8), file: "test")
        #expect(try entries.next() == nil)

        for types in [try parse(text).accountTypes, entries.accountTypes] {
            #expect(types.map { "\($0.key) \($0.value)" }.joined() == type)
        }
    }

    @Test func typesAreThoseOfTheWholeJournalIfABalanceIsAssigned() throws {
        let text = "2024-01-01\n  a  = 1\n  b\naccount c  ; type:A\n"
        var entries = JournalParser().entries(of: [UInt8](text.utf8), file: "test")

        while try entries.next() != nil {}

        #expect(entries.accountTypes == ["c": .asset])
    }
}
