// SPDX-License-Identifier: Apache-2.0

import LedgerTestSupport
import Testing

@testable import LedgerBooks

@Suite struct TurnoverTests {
    @Test(arguments: [
        ("0", 0, 0), ("0.00", 0, 0), ("1", 1, 0), ("9.50", 1, 1), ("-1234.501", 4, 3), ("0.001", 0, 3), ("100", 3, 0),
        ("99999999999999999999999999999999999999", 38, 0), ("0.00000000000000000000000000000000000001", 0, 38),
    ])
    func theRangeOfAQuantityHasItsSignificantDigits(text: String, integer: Int, fraction: Int) {
        let range = DigitRange(of: quantity(text))

        #expect(range == DigitRange(integerDigits: integer, fractionDigits: fraction))
        #expect(range.fits == (integer + fraction <= 32))
    }

    @Test func aTurnoverIgnoresSignsAndKeepsTheLargestScale() throws {
        var turnover = Turnover()
        for text in ["0.5", "-0.5", "8", "-0.50"] { turnover = try #require(turnover.adding(quantity(text))) }

        #expect(turnover.digits == DigitRange(integerDigits: 1, fractionDigits: 1))
        #expect(try #require(turnover.adding(quantity("0.5"))).digits.integerDigits == 2)
        #expect(turnover.adding(quantity("0.00000000000000000000000000000000000001")) == nil)
        #expect(turnover.adding(quantity("99999999999999999999999999999999999999")) == nil)
    }

    @Test func theDifferenceOfTwoTurnoversIsAdded() throws {
        let earlier = Turnover(of: quantity("1.25"))
        let later = try #require(earlier.adding(quantity("-3.75")))
        let stored = try #require(earlier.adding(quantity("0.5")))

        let merged = try #require(stored.adding(later, since: earlier))

        #expect(merged == (try #require(stored.adding(quantity("3.75")))))
        #expect(merged.digits == DigitRange(integerDigits: 1, fractionDigits: 2))
    }

    /// If the turnovers of accounts are in a fitting range, no total over the accounts overflows.
    @Test(arguments: UInt64(1)...40)
    func noSumOfFittingTurnoversOverflows(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var turnovers = Array(repeating: Turnover(), count: 4)
        var range = DigitRange()
        var total = Quantity.zero
        var taken = 0
        for _ in 0..<300 {
            let digits = Int.random(in: 1...20, using: &random)
            var mantissa: Int128 = 0
            for _ in 0..<digits { mantissa = mantissa * 10 + Int128(Int.random(in: 0...9, using: &random)) }
            let sign: Int128 = Bool.random(using: &random) ? -1 : 1
            let amount = try Quantity(mantissa: sign * mantissa, scale: Int.random(in: 0...16, using: &random))
            let account = Int.random(in: 0..<4, using: &random)
            guard let turnover = turnovers[account].adding(amount) else { continue }
            let wider = range.union(turnover.digits)
            if !wider.fits { continue }
            turnovers[account] = turnover
            range = wider
            total = try total.adding(amount)
            taken += 1
        }
        #expect(taken > 0)
    }
}
