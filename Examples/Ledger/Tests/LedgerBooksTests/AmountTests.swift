// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerBooks
import Testing

@Suite struct AmountTests {
    @Test(arguments: [
        ("", "1.50"), ("EUR", "1.50 EUR"), ("€", "1.50 €"), ("red apples", "1.50 \"red apples\""),
        ("A1", "1.50 \"A1\""), ("a-b", "1.50 \"a-b\""),
    ])
    func theDescriptionQuotesSymbolsThatAJournalWouldNotParse(commodity: String, expected: String) {
        #expect(Amount(quantity("1.50"), commodity).description == expected)
    }

    @Test(arguments: [
        (Cost.unit(amount("1.5 EUR")), "3", "4.5 EUR"), (.unit(amount("1.5 EUR")), "-3", "-4.5 EUR"),
        (.unit(amount("-1.5 EUR")), "3", "-4.5 EUR"), (.unit(amount("2 EUR")), "0", "0 EUR"),
        (.total(amount("5 EUR")), "3", "5 EUR"), (.total(amount("5 EUR")), "-3", "-5 EUR"),
        (.total(amount("-5 EUR")), "-3", "5 EUR"), (.total(amount("5 EUR")), "0", "5 EUR"),
    ])
    func aCostFollowsTheSignOfTheQuantity(cost: Cost, bought: String, expected: String) throws {
        #expect(try cost.amount(for: quantity(bought)) == amount(expected))
    }

    @Test(arguments: [
        ("200.00", "0.92 EUR", "184.00 EUR"), ("3.5", "0.921 EUR", "3.2235 EUR"), ("10", "1.5 EUR", "15.0 EUR"),
        ("0.5", "3 EUR", "1.5 EUR"), ("-2.00", "5 EUR", "-10 EUR"), ("0.00", "1.50 EUR", "0.00 EUR"),
    ])
    func aUnitPriceIsMultipliedExactlyWithoutTrailingZeros(bought: String, price: String, expected: String) throws {
        #expect(try Cost.unit(amount(price)).amount(for: quantity(bought)).description == expected)
    }

    @Test(arguments: [
        "EUR", "", "€", "A B", " ", "\"", "\"\"", "a\"b", "1", "x;y", "S&P 500", "@@", "-", "#!", "ä ö", "\n",
        "\u{301}",
        "\u{301} x", "1\u{301}",
    ])
    func anAmountIsEncodedAsItsText(commodity: String) throws {
        for number in ["0", "-1.50", "1234567.000", "-0.01"] {
            let original = Amount(quantity(number), commodity)

            let encoded = try JSONEncoder().encode([original])

            #expect(try JSONDecoder().decode([Amount].self, from: encoded) == [original])
            #expect(try JSONDecoder().decode([String].self, from: encoded) == [original.description])
        }
    }

    @Test(arguments: ["", " EUR", "EUR", "1,5 EUR", "1.5. EUR", "x1 EUR", "--1", "1e5"])
    func textThatIsNoAmountIsRefused(text: String) throws {
        let encoded = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Amount].self, from: encoded) }
    }

    @Test func costsAreEncodedUnderTheirKind() throws {
        let costs: [Cost] = [.unit(amount("1.50 EUR")), .total(amount("2 X"))]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys

        let encoded = try encoder.encode(costs)

        #expect(
            String(decoding: encoded, as: UTF8.self)
                == #"[{"unit":"1.50 EUR"},{"total":"2 X"}]"#
        )
        #expect(try JSONDecoder().decode([Cost].self, from: encoded) == costs)
    }

    @Test(arguments: ["{}", #"{"unit":"1","total":"1"}"#])
    func aCostWithoutAKindOrWithTwoIsRefused(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Cost.self, from: Data(text.utf8)) }
    }
}
