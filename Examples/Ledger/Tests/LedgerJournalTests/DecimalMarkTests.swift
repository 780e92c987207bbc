// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import LedgerJournal
import Testing

@Suite struct DecimalMarkTests {
    static let directives = [
        "", "decimal-mark ,", "decimal-mark .", "D 1.000,00 EUR", "commodity 1.000,00 EUR", "commodity 1,000.00 EUR",
    ]

    /// The meanings of each spelling after each of the directives, or one for all of them.
    static let spellings: [(text: String, meanings: [String])] = [
        (".5 EUR", ["0.5"]),
        (".01 EUR", ["0.01"]),
        ("-.5 EUR", ["-0.5"]),
        ("EUR .5", ["0.5"]),
        ("EUR -.25", ["-0.25"]),
        (".500 EUR", ["0.500"]),
        (".5e1 EUR", ["5"]),
        ("5. EUR", ["5"]),
        ("5, EUR", ["5"]),
        ("0.5 EUR", ["0.5", "5", "0.5", "5", "5", "0.5"]),
        ("0,5 EUR", ["0.5", "0.5", "5", "0.5", "0.5", "5"]),
        ("1.000 EUR", ["1.000", "1000", "1.000", "1000", "1000", "1.000"]),
        ("1,000 EUR", ["1.000", "1.000", "1000", "1.000", "1.000", "1000"]),
        ("1.000,50 EUR", ["1000.50"]),
        ("1,000.50 EUR", ["1000.50"]),
        ("1 000,5 EUR", ["1000.5"]),
        ("1.000.000 EUR", ["1000000"]),
        ("1,000,000 EUR", ["1000000"]),
    ]

    @Test(arguments: spellings.map(\.text))
    func eachSpellingHasOneMeaningAfterEachDirective(text: String) throws {
        let meanings = try #require(Self.spellings.first { $0.text == text }).meanings

        let amounts = try Self.directives.map { directive in
            try parse(Self.journal(text, after: directive)).entries.first?.transaction.postings.first?.amount
        }

        let expected = meanings.count == 1 ? Self.directives.map { _ in meanings[0] } : meanings
        #expect(amounts.map { $0?.description } == expected.map { "\($0) EUR" })
    }

    @Test(arguments: [
        ("1,825", "1825", "1.8250"), ("1.825", "1825", "1.8250"), ("-12,000", "12000", "12.0000"),
        ("999.005", "999005", "999.0050"),
    ])
    func aLoneAmountWithOneMarkBeforeThreeDigitsIsRefused(number: String, whole: String, fraction: String) throws {
        for text in ["\(number) EUR", "EUR \(number)", "1 USD @ \(number.replacing("-", with: "")) EUR"] {
            let error = #expect(throws: JournalError.self) { try JournalParser().amount(text) }

            #expect(error?.code == .ambiguousNumber)
            #expect(error?.message.hasSuffix("To fix, write \(whole) or \(fraction).") == true)
        }
        #expect(try JournalParser().amount("\(whole) EUR").amount.quantity.description == whole)
        #expect(try JournalParser().amount("\(fraction) EUR").amount.quantity.description == fraction)
    }

    @Test(arguments: [
        ("0,825", "0.825"), ("0.825", "0.825"), (".825", "0.825"), ("1234.567", "1234.567"), ("1234,567", "1234.567"),
        ("1,825.00", "1825.00"), ("1.825,00", "1825.00"), ("1,825,000", "1825000"), ("1 825", "1825"), ("1,82", "1.82"),
        ("1,8250", "1.8250"), ("1825.", "1825"),
    ])
    func otherLoneAmountsHaveOneMeaning(number: String, meaning: String) throws {
        #expect(try JournalParser().amount("\(number) EUR").amount.quantity.description == meaning)
    }

    /// A mark before the first digit is the decimal mark, so no other mark follows it.
    @Test(
        arguments: ["..5 EUR", ".5.5 EUR", ".500.000 EUR", ".5,5 EUR", ".5 000 EUR", "1,.5 EUR", ".5. EUR", ". EUR"],
        directives
    )
    func aMarkAfterALeadingMarkIsRefused(text: String, directive: String) {
        #expect(throws: JournalError.self) { try parse(Self.journal(text, after: directive)) }
    }

    @Test(.enabled(if: Hledger.isInstalled, .init(rawValue: Hledger.absence)), arguments: directives)
    func eachSpellingHasTheMeaningOfHledger(directive: String) throws {
        for spelling in Self.spellings {
            let text = Self.journal(spelling.text, after: directive)

            let ours = try AccountBalances(of: parse(text))

            #expect(
                try ours.differences(from: Hledger.withJournals([text], Hledger.balances)) == [], "\(spelling.text)"
            )
        }
    }

    private static func journal(_ amount: String, after directive: String) -> String {
        "\(directive)\n2024-01-01\n  a  \(amount)\n  b\n"
    }
}
