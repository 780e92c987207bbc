//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
}
