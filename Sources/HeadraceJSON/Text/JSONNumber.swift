// SPDX-License-Identifier: Apache-2.0

/// Numbers that are read exactly.
enum JSONNumber {
    /// The powers of ten that a `Double` holds exactly.
    static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The powers of ten that 64 bits hold.
    static let wholePowers: [UInt64] = (0..<20).map { exponent in (0..<exponent).reduce(1) { power, _ in power * 10 } }

    /// Returns the nearest `Double` to `digits` / 10^`scale`; ties go to the even number.
    ///
    /// `scale` must be at least 0 and at most 19.
    @inline(__always)
    static func quotient(_ digits: UInt64, scale: Int) -> Double {
        if digits <= 1 << 53 { return Double(digits) / powers[scale] }
        return longQuotient(digits, scale: scale)
    }

    /// Divides 127 bits by 64 bits, which leaves more bits than a `Double` has, and rounds once.
    @inline(never)
    private static func longQuotient(_ digits: UInt64, scale: Int) -> Double {
        let divisor = wholePowers[scale]
        let digitShift = digits.leadingZeroBitCount
        let divisorShift = divisor.leadingZeroBitCount
        let (dividend, normalized) = (digits << UInt64(digitShift), divisor << UInt64(divisorShift))
        // Both have their highest bit set, so the quotient is between 2^62 and 2^64.
        let (quotient, remainder) = normalized.dividingFullWidth((dividend >> 1, dividend << 63))
        let dropped = UInt64(64 - quotient.leadingZeroBitCount - 53)
        var significand = quotient >> dropped
        let rest = quotient & ((1 << dropped) - 1)
        let half: UInt64 = 1 << (dropped - 1)
        if rest > half || (rest == half && (remainder > 0 || !significand.isMultiple(of: 2))) { significand += 1 }
        let exponent = Int(dropped) - 63 + divisorShift - digitShift
        // A power of two between 2^-127 and 2^1, so the product is exact.
        return Double(significand) * Double(bitPattern: UInt64(1023 + exponent) << 52)
    }
}
