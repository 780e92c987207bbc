// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerBooks
import LedgerTestSupport
import Testing

@Suite struct QuantityTests {
    @Test(arguments: ["0", "0.00", "1.50", "-1234.50", "-0.001", "99999999999999999999999999999999999999"])
    func plainTextRoundTrips(text: String) {
        #expect(quantity(text).description == text)
    }

    @Test(arguments: [
        "", "-", "+1", ".5", "5.", "1.2.3", "1,5", " 1", "1 ", "1e3", "--1", "٣", "0x1", "∞",
        "100000000000000000000000000000000000000", "0.000000000000000000000000000000000000001",
        String(repeating: "9", count: 500),
    ])
    func textInAnotherFormatIsNoQuantity(text: String) {
        #expect(Quantity(text) == nil)
    }

    @Test func valuesAreComparedAndTheScaleIsKept() {
        #expect(quantity("1.5") == quantity("1.50"))
        #expect(quantity("1.5").hashValue == quantity("1.50").hashValue)
        #expect(quantity("1.50").scale == 2)
        #expect(quantity("0.00") == .zero)
        #expect(quantity("-0.00").description == "0.00")
    }

    @Test(arguments: [
        ("1.5", 0, "2"), ("2.5", 0, "2"), ("-2.5", 0, "-2"), ("-3.5", 0, "-4"), ("0.005", 2, "0.00"),
        ("0.0051", 2, "0.01"), ("0.4", -3, "0"), ("9.99", 1, "10.0"), ("1.2", 5, "1.2"),
    ])
    func roundingIsHalfToEven(text: String, scale: Int, expected: String) {
        #expect(quantity(text).rounded(toScale: scale).description == expected)
    }

    @Test func aResultWithTooManyDigitsThrowsAndNeverTraps() throws {
        let largest = quantity(String(repeating: "9", count: Quantity.maximumDigits))
        let smallest = try Quantity(mantissa: 1, scale: Quantity.maximumDigits)

        #expect(throws: QuantityError.self) { try largest.adding(quantity("1")) }
        #expect(throws: QuantityError.self) { try largest.adding(smallest) }
        #expect(throws: QuantityError.self) { try largest.multiplied(by: quantity("1.1")) }
        #expect(throws: QuantityError.self) { try smallest.multiplied(by: smallest) }
        #expect(throws: QuantityError.self) { try Quantity(mantissa: .min) }
        #expect(throws: QuantityError.self) { try Quantity(mantissa: 1, scale: -1) }
        #expect(throws: QuantityError.self) { try Quantity(mantissa: 1, scale: 39) }
        #expect(smallest < largest && largest.negated < smallest)
    }

    @Test func trailingZerosAreRemovedBeforeAResultOverflows() throws {
        let large = quantity("12345678901234567890123456789012345678")

        #expect(try large.adding(quantity("0.00")) == large)
        let million = quantity("1000000.000000000000000")
        #expect(try million.multiplied(by: million) == quantity("1000000000000"))
    }

    @Test func theErrorNamesTheOperationThatOverflowed() {
        let error = #expect(throws: QuantityError.self) { try Quantity(mantissa: 1, scale: 39) }

        #expect(error?.code == .overflow)
        #expect(
            error?.message == "The exact value of 1 with 39 digits after the point needs more than 38 digits. "
                + "To fix, use smaller numbers or fewer digits after the point."
        )
    }

    @Test func theEncodedFormIsTheText() throws {
        let encoded = try JSONEncoder().encode([quantity("-1234.50")])

        #expect(String(decoding: encoded, as: UTF8.self) == #"["-1234.50"]"#)
        #expect(try JSONDecoder().decode([Quantity].self, from: encoded) == [quantity("-1234.50")])
    }

    @Test(arguments: [#"["x"]"#, #"["1e3"]"#, "[1]", #"[""]"#, "[null]"])
    func decodingGarbageThrows(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Quantity].self, from: Data(text.utf8)) }
    }
}

@Suite struct QuantityPropertyTests {
    private static let seed: UInt64 = 20_240_229

    @Test(arguments: 0..<20)
    func arithmeticEqualsTheReferenceArithmetic(round: Int) throws {
        var generator = SplitMix64(seed: Self.seed + UInt64(round))
        for _ in 0..<100 {
            let (left, right) = (randomText(&generator), randomText(&generator))
            let scale = Int.random(in: 0...12, using: &generator)
            let note: Comment = "seed \(Self.seed + UInt64(round)): \(left) and \(right)"

            let sum = DigitString(left) + DigitString(right)
            let exactSum = try quantity(left).adding(quantity(right))
            #expect(DigitString(exactSum.description).description == sum.description, note)
            #expect(exactSum.scale == max(quantity(left).scale, quantity(right).scale), note)

            let product = DigitString(left) * DigitString(right)
            if let exact = try? quantity(left).multiplied(by: quantity(right)) {
                #expect(DigitString(exact.description).description == product.description, note)
            } else {
                #expect(product.count > Quantity.maximumDigits, note)
            }

            let rounded = quantity(left).rounded(toScale: scale)
            #expect(rounded.description == written(DigitString(left).rounded(toScale: scale), like: rounded), note)
        }
    }

    @Test(arguments: 0..<10)
    func orderEqualityAndHashesAreConsistent(round: Int) throws {
        var generator = SplitMix64(seed: Self.seed &* 31 + UInt64(round))
        for _ in 0..<100 {
            let (left, right) = (quantity(randomText(&generator)), quantity(randomText(&generator)))
            guard let difference = try? left.subtracting(right) else { continue }

            #expect((left < right) == difference.isNegative)
            #expect((left == right) == difference.isZero)
            #expect(left != right || left.hashValue == right.hashValue)
            #expect(left.negated.negated == left && left.magnitude.isNegative == false)
        }
    }

    private func randomText(_ generator: inout SplitMix64) -> String {
        let digits = generator.pick([1, 2, 3, 5, 9, 18, 20])
        let scale = generator.pick([0, 0, 1, 2, 3, 6])
        var text = (0..<digits).map { _ in String(generator.pick([0, 0, 1, 4, 5, 5, 9])) }.joined()
        if scale > 0 { text += "." + (0..<scale).map { _ in String(generator.pick([0, 4, 5, 9])) }.joined() }
        text = String(text.drop { $0 == "0" })
        if text.isEmpty || text.first == "." { text = "0" + text }
        return generator.happens(percent: 50) && text.contains { $0 != "0" && $0 != "." } ? "-" + text : text
    }

    /// The number of the reference at the scale of `quantity`.
    private func written(_ reference: DigitString, like quantity: Quantity) -> String {
        let text = reference.description
        let digits = text.contains(".") ? text.split(separator: ".")[1].count : 0
        guard quantity.scale > digits else { return text }
        return text + (digits == 0 ? "." : "") + String(repeating: "0", count: quantity.scale - digits)
    }
}
