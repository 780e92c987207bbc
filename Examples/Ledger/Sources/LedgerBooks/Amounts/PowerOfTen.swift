// SPDX-License-Identifier: Apache-2.0

/// The powers of ten by which quantities are scaled.
enum PowerOfTen {
    /// The smallest magnitude with too many digits for a quantity.
    static let limit = UInt128(power(Quantity.maximumDigits))

    /// Returns ten to the power of `exponent`, which must be in `0...Quantity.maximumDigits`.
    static func power(_ exponent: Int) -> Int128 {
        powers[exponent]
    }

    private static let powers: [Int128] = {
        var powers: [Int128] = [1]
        for _ in 0..<Quantity.maximumDigits {
            powers.append(powers[powers.count - 1] * 10)
        }
        return powers
    }()
}
