// SPDX-License-Identifier: Apache-2.0

/// Number of digits before and after the point that the amounts of a commodity need.
///
/// A total adds up amounts of many accounts in any order. It is exact, so it needs the digits before the point of the
/// largest amount, the digits after the point of the finest amount, and a few more for the carry. If a range
/// ``fits``, such a total never overflows.
public struct DigitRange: Sendable, Hashable, Codable {
    /// Number of digits that totals reserve for the carry.
    ///
    /// It is sufficient for a million accounts.
    public static let carryDigits = 6

    /// Number of digits before the point, without leading zeros.
    public let integerDigits: Int

    /// Number of digits after the point, without trailing zeros.
    public let fractionDigits: Int

    /// Creates a range.
    ///
    /// The default is the range of zero.
    public init(integerDigits: Int = 0, fractionDigits: Int = 0) {
        self.integerDigits = integerDigits
        self.fractionDigits = fractionDigits
    }

    /// Creates the range of one quantity.
    public init(of quantity: Quantity) {
        let normalized = quantity.normalized
        var integer = normalized.mantissa.magnitude / UInt128(PowerOfTen.power(normalized.scale))
        var count = 0
        while integer > 0 {
            integer /= 10
            count += 1
        }
        self.init(integerDigits: count, fractionDigits: normalized.scale)
    }

    /// Whether totals of amounts in this range always fit a quantity.
    public var fits: Bool { integerDigits + fractionDigits + Self.carryDigits <= Quantity.maximumDigits }

    /// Returns the smallest range that covers this range and `other`.
    public func union(_ other: DigitRange) -> DigitRange {
        DigitRange(
            integerDigits: max(integerDigits, other.integerDigits),
            fractionDigits: max(fractionDigits, other.fractionDigits)
        )
    }

    /// Whether `other` needs no more digits than this range, before and after the point.
    public func covers(_ other: DigitRange) -> Bool { union(other) == self }
}
