// SPDX-License-Identifier: Apache-2.0

/// An exact decimal number: an integer mantissa and the number of digits after the point.
///
/// A quantity keeps its scale, so `1.50` prints as `1.50`. It is compared by value: `1.5 == 1.50`, with equal hashes.
/// Arithmetic is exact or throws. Only ``rounded(toScale:)`` rounds. The encoded form is the text, as in `"-1234.50"`.
///
///     try Quantity(mantissa: 110, scale: 2).adding(Quantity(mantissa: 29, scale: 1)) == Quantity("4")
public struct Quantity: Sendable {
    /// Maximum number of digits, before and after the point together.
    public static let maximumDigits = 38

    /// The number zero, with no digits after the point.
    public static let zero = Quantity(checkedMantissa: 0, scale: 0)

    /// The digits as an integer with the sign.
    ///
    /// It is 150 for 1.50.
    public let mantissa: Int128

    /// Number of digits after the point, from 0 to ``maximumDigits``.
    public let scale: Int

    /// Creates the number `mantissa` divided by ten to the power of `scale`.
    ///
    /// - Throws: ``QuantityError`` with the code ``QuantityError/Code/overflow`` if the mantissa has more
    ///   than ``maximumDigits`` digits or the scale is outside `0...maximumDigits`.
    public init(mantissa: Int128, scale: Int = 0) throws {
        guard let quantity = Quantity(ifFits: mantissa, scale: scale) else {
            throw QuantityError.overflow("\(mantissa) with \(scale) digits after the point")
        }
        self = quantity
    }

    /// Whether the value is zero, at any scale.
    public var isZero: Bool { mantissa == 0 }

    /// Whether the value is negative.
    public var isNegative: Bool { mantissa < 0 }

    /// The value without its sign.
    public var magnitude: Quantity { isNegative ? negated : self }

    /// The value with the opposite sign, at the same scale.
    public var negated: Quantity { Quantity(checkedMantissa: -mantissa, scale: scale) }

    /// Creates a quantity.
    ///
    /// The caller must have checked the bounds.
    init(checkedMantissa: Int128, scale: Int) {
        self.mantissa = checkedMantissa
        self.scale = scale
    }

    /// Creates a quantity.
    ///
    /// Returns `nil` if it has too many digits.
    init?(ifFits mantissa: Int128, scale: Int) {
        guard mantissa.magnitude < PowerOfTen.limit, (0...Self.maximumDigits).contains(scale) else { return nil }
        self.init(checkedMantissa: mantissa, scale: scale)
    }
}

extension Quantity: Hashable {
    /// Compares by value.
    ///
    /// Trailing zeros after the point are ignored.
    public static func == (left: Quantity, right: Quantity) -> Bool {
        if left.scale == right.scale { return left.mantissa == right.mantissa }
        let left = left.normalized
        let right = right.normalized
        return left.scale == right.scale && left.mantissa == right.mantissa
    }

    /// Hashes the value without trailing zeros.
    public func hash(into hasher: inout Hasher) {
        let normalized = normalized
        hasher.combine(normalized.mantissa)
        hasher.combine(normalized.scale)
    }

    /// The same value at its smallest scale.
    var normalized: Quantity {
        guard mantissa != 0 else { return .zero }
        var mantissa = mantissa
        var scale = scale
        while scale > 0 {
            let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: 10)
            guard remainder == 0 else { break }
            mantissa = quotient
            scale -= 1
        }
        return Quantity(checkedMantissa: mantissa, scale: scale)
    }
}

extension Quantity: Comparable {
    /// Orders by value.
    public static func < (left: Quantity, right: Quantity) -> Bool {
        if left.scale == right.scale { return left.mantissa < right.mantissa }
        if left.scale < right.scale {
            // If the left side is too large for the larger scale, it is farther from zero than any right side.
            guard let mantissa = left.mantissa(atScale: right.scale) else { return left.isNegative }
            return mantissa < right.mantissa
        }
        guard let mantissa = right.mantissa(atScale: left.scale) else { return !right.isNegative }
        return left.mantissa < mantissa
    }
}
