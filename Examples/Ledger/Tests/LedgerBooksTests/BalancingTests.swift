// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
import Testing

@Suite struct BalancingTests {
    @Test(arguments: [
        (["1 A", "-1 A"], ["a 1 A", "b -1 A"]),
        (["1 A", ""], ["a 1 A", "b -1 A"]),
        (["1 A", "2 B", ""], ["a 1 A", "b 2 B", "c -1 A", "c -2 B"]),
        (["", "1 A", "2 B", "-1 A"], ["a -2 B", "b 1 A", "c 2 B", "d -1 A"]),
        (["0 A", ""], ["a 0 A", "b 0 A"]),
        (["2 A @ 3 B", ""], ["a 2 A @ 3 B", "b -6 B"]),
        (["-2 A @@ 5 B", ""], ["a -2 A @@ 5 B", "b 5 B"]),
        (["0 A @@ 2 B", ""], ["a 0 A @@ 2 B", "b -2 B"]),
        (["1.005 A @ 1.005 B", ""], ["a 1.005 A @ 1.005 B", "b -1.010025 B"]),
        (["1 A @@ 2 B", "-1 A @@ 3 B", ""], ["a 1 A @@ 2 B", "b -1 A @@ 3 B", "c 1 B"]),
        (["1 A", "-2 B", ""], ["a 1 A", "b -2 B", "c -1 A", "c 2 B"]),
    ])
    func oneOmittedAmountIsComputed(postings: [String], expected: [String]) throws {
        #expect(try written(draft(postings).balanced()) == expected)
    }

    @Test(arguments: [
        (["1 A", "-2 B"], ["a 1 A @@ 2 B", "b -2 B"]),
        (["-2 B", "1 A"], ["a -2 B @@ 1 A", "b 1 A"]),
        (["1 A", "1 A", "1 A", "-10.00 B"], ["a 1 A @@ 3.33 B", "b 1 A @@ 3.34 B", "c 1 A @@ 3.33 B", "d -10.00 B"]),
        (["5 A", "-3 A", "-4 B"], ["a 5 A @@ 10 B", "b -3 A @@ 6 B", "c -4 B"]),
        (["1 A", "-2 B", "0 C"], ["a 1 A @@ 2 B", "b -2 B", "c 0 C"]),
        (["1 A @ 2 C", "-1 A @ 2 C", "1 D", "-3 B"], ["a 1 A @ 2 C", "b -1 A @ 2 C", "c 1 D @@ 3 B", "d -3 B"]),
        (["1 A", "-0.999 A", "-2 B"], ["a 1 A @@ 2000 B", "b -0.999 A @@ 1998 B", "c -2 B"]),
    ])
    func twoCommoditiesOfOppositeSignsAreAConversion(postings: [String], expected: [String]) throws {
        #expect(try written(draft(postings).balanced()) == expected)
    }

    @Test(arguments: [
        ["1.5 A @ 0.33 B", "-0.50 B"], ["1.5 A @ 0.33 B", "-0.49 B"], ["3 A @ 0.335 B", "-1.00 B"],
        ["1 A @@ 1.5 B", "-2 B"], ["1 A @@ 1.5 B", "-1 B"], ["1.1 A @ 1.1 B", "-1.16 C @ 1 B"],
        ["10 A @ 1.23456 B", "-12.3 B"], ["1 A @ -2 B", "2 B"], ["-1 A @@ -2 B", "-2 B"],
    ])
    func aSumBelowTheWrittenPrecisionIsZero(postings: [String]) throws {
        #expect(try draft(postings).balanced().count == postings.count)
    }

    @Test(arguments: [
        (["1.00 A", "-1.004 A"], ["-0.004 A"]),
        (["1 A", "2 B"], ["1 A", "2 B"]),
        (["1 A", "-2 B", "3 C"], ["1 A", "-2 B", "3 C"]),
        (["1 A @ 2 B", "-3 B"], ["-1 B"]),
        (["1.5 A @ 0.33 B", "-0.48 B"], ["0.015 B"]),
        (["1 A @@ 1.006 B", "-1.00 B"], ["0.006 B"]),
        (["1.1 A @ 1.1 B", "-1.1 C @ 1.04 B"], ["0.066 B"]),
        (["1 A @ 2 C", "-2 C", "1 A", "-3 B"], ["1 A", "-3 B"]),
        (["0 A @@ 2 B", "0 B"], ["2 B"]),
    ])
    func unbalancedPostingsAreRefusedWithTheDifference(postings: [String], difference: [String]) throws {
        let refusal = refusal(of: draft(postings))

        #expect(refusal?.code == .unbalanced)
        #expect(refusal?.imbalance == difference.map(amount))
    }

    @Test func theRefusalHasTheDifferenceAndTheRemedy() {
        #expect(
            refusal(of: draft("1 A", "2 B"))?.description
                == "The postings add up to 1 A, 2 B instead of zero. "
                + "To fix, correct an amount, or omit one amount to have it computed."
        )
    }

    @Test func eachShapeThatCannotBeBalancedHasItsCode() {
        var blank = draft("1 A", "-1 A")
        blank.postings[1].account = " \t"
        var unpaid = draft("1 A", "")
        unpaid.postings[1].cost = .unit(amount("1 B"))

        #expect(refusal(of: draft())?.code == .noPostings)
        #expect(refusal(of: draft("0 A"))?.code == .singlePosting)
        #expect(refusal(of: draft(""))?.code == .singlePosting)
        #expect(refusal(of: blank)?.code == .emptyAccount)
        #expect(refusal(of: unpaid)?.code == .costWithoutAmount)
        #expect(refusal(of: draft("1 A", "", ""))?.code == .severalElidedAmounts)
    }

    @Test func anOverflowIsARefusalWithItsCause() {
        let large = "90000000000000000000000000000000000000"

        let refusals = [
            refusal(of: draft("\(large) A", "\(large) A", "")),
            refusal(of: draft("\(large) A @ 10 B", "")),
            refusal(of: draft("\(large) A", "\(large) A", "-1 B")),
        ]

        #expect(refusals.map(\.?.code) == [.overflow, .overflow, .overflow])
        #expect(refusals.map(\.?.cause?.code) == [.overflow, .overflow, .overflow])
    }

    @Test func manyCommoditiesAreSummedSeparately() throws {
        let symbols = (0..<300).map { "C\($0)" }
        var draft = draft("", "0 X")
        draft.postings += (symbols + symbols.reversed()).map { symbol in
            PostingDraft(account: "d", amount: Amount(quantity("1"), symbol))
        }

        let filled = try draft.balanced().filter { $0.account == "a" }

        #expect(filled.map(\.amount) == symbols.map { Amount(quantity("-2"), $0) })
    }

    @Test(arguments: ["Assets::Cash", ":A", "A:", "A: :B", ":"])
    func anAccountWithAnEmptyLevelIsRefused(account: String) {
        var draft = draft("1 A", "")
        draft.postings[1].account = account

        let refusal = refusal(of: draft)

        #expect(refusal?.code == .emptyLevel)
        #expect(
            refusal?.message
                == "The account '\(account)' has an empty level. To fix, write a name before and after each ':'.")
    }

    @Test(arguments: [
        "\u{061C}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}",
        "\u{2067}", "\u{2068}", "\u{2069}",
    ])
    func namesWithACharacterThatChangesTheDirectionAreRefused(character: String) {
        var named = draft("1 A", "")
        named.postings[1].account = "b\(character)c"

        #expect(refusal(of: named)?.code == .directionControl)
        #expect(refusal(of: draft("1 A\(character)", ""))?.code == .directionControl)
        #expect(refusal(of: draft("1 A @ 1 B\(character)", ""))?.code == .directionControl)
        #expect(refusal(of: named)?.message.contains("'b\u{FFFD}c'") == true)
        #expect(refusal(of: named)?.message.contains("To fix, remove the character.") == true)
    }

    /// Right-to-left scripts need no such character.
    @Test(arguments: ["נכסים:מזומן", "أصول:نقد", "é:日本:ü", "a b:c"])
    func namesOfAllScriptsAreAccepted(account: String) throws {
        var draft = draft("1 A", "")
        draft.postings[1].account = account

        #expect(try draft.balanced().last?.account == account)
    }
}
