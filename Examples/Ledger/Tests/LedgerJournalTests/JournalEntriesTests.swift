// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerJournal
import LedgerTestSupport
import Testing

@Suite struct JournalEntriesTests {
    @Test(arguments: JournalFixture.valid)
    func incrementalParsingReturnsTheSameTransactions(file: JournalFixture) throws {
        let bytes = try file.bytes()
        let whole = try JournalParser().parse(bytes, file: file.name)

        var entries = JournalParser().entries(of: bytes, file: file.name)
        var read: [Journal.Entry] = []
        while let entry = try entries.next() { read.append(entry) }

        #expect(read == whole.entries)
        #expect(!read.isEmpty)
        #expect(try entries.next() == nil)
    }

    @Test func incrementalParsingThrowsTheSameErrorAtItsPlace() throws {
        let bytes = Array("2026-01-01 a\n    x  1\n    y\n2026-01-02 b\n    x  1\n    y\n2026-13-01 c\n".utf8)
        var entries = JournalParser().entries(of: bytes, file: "f")

        #expect(try entries.next()?.line == 1)
        #expect(throws: (any Error).self) {
            while try entries.next() != nil {}
        }
        let error = #expect(throws: JournalError.self) { try JournalParser().parse(bytes, file: "f") }
        #expect(error?.line == 7)
    }

    @Test(
        arguments: [
            ("12.30 EUR", "12.30 EUR", nil), ("  $-5 ", "-5 $", nil), ("1,000.5", "1000.5", nil),
            ("10 USD @ 0.92 EUR", "10 USD", "@ 0.92 EUR"), ("10 USD @@ 9 EUR", "10 USD", "@@ 9 EUR"),
        ] as [(String, String, String?)])
    func aSingleAmountIsParsedAsInAPosting(text: String, amount: String, cost: String?) throws {
        let read = try JournalParser().amount(text)

        #expect(read.amount.description == amount)
        let price =
            switch read.cost {
            case .unit(let price): "@ \(price)"
            case .total(let price): "@@ \(price)"
            case nil: String?.none
            }
        #expect(price == cost)
    }

    @Test(arguments: [
        "", " ", "EUR", "1 EUR 2", "1 EUR\n", "1 EUR\n2 EUR", "1 EUR ; x", "1 EUR = 2 EUR", "--1", "1 {2 EUR}",
    ])
    func textThatIsNotExactlyAnAmountIsRefused(text: String) {
        #expect(throws: JournalError.self) { try JournalParser().amount(text) }
    }

    @Test(arguments: [("(a)  1 = 2", true), ("a  0 = 0", true), ("(a)  1", false), ("a  0", false)])
    func claimsOfTransactionsThatAreLeftOutAreTold(posting: String, claims: Bool) throws {
        var entries = JournalParser().entries(of: [UInt8]("2024-01-01\n  \(posting)\n".utf8), file: "f")

        let first = try entries.next()

        #expect(first == nil)
        #expect(entries.claimsBalances == claims)
    }

    @Test func anAssignedAmountDependsOnLaterLinesOfEarlierDates() throws {
        let text = "2024-01-01\n  a  1\n  b\n\n2024-01-03\n  a  = 9\n  b\n\n2024-01-02\n  a  2\n  b\n"
        var entries = JournalParser().entries(of: [UInt8](text.utf8), file: "f")

        var amounts: [String?] = []
        while let entry = try entries.next() { amounts.append(entry.transaction.postings[0].amount?.description) }

        #expect(amounts == ["1", "6", "2"])
    }
}
