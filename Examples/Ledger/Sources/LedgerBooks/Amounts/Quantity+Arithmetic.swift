// SPDX-License-Identifier: Apache-2.0

extension Quantity {
    /// Returns the exact sum, at the larger of the two scales.
    ///
    /// - Throws: ``QuantityError`` with the code ``QuantityError/Code/overflow`` if the sum needs more than
    ///   ``maximumDigits`` digits.
    public func adding(_ other: Quantity) throws -> Quantity {
        if let sum = exactSum(with: other) ?? normalized.exactSum(with: other.normalized) { return sum }
        throw QuantityError.overflow("\(self) + \(other)")
    }

    /// Returns the exact difference; see ``adding(_:)``.
    public func subtracting(_ other: Quantity) throws -> Quantity {
        try adding(other.negated)
    }

    /// Returns the exact product.
    ///
    /// Its scale is the sum of the two scales.
    ///
    /// Trailing zeros are removed only if the product has too many digits otherwise.
    ///
    /// - Throws: ``QuantityError`` with the code ``QuantityError/Code/overflow`` if the product needs more
    ///   than ``maximumDigits`` digits.
    public func multiplied(by other: Quantity) throws -> Quantity {
        if let product = exactProduct(with: other) ?? normalized.exactProduct(with: other.normalized) {
            return product
        }
        throw QuantityError.overflow("\(self) × \(other)")
    }

    /// Returns the nearest value with at most `scale` digits after the point; ties go to the even digit.
    ///
    /// A quantity with at most `scale` digits after the point is returned unchanged.
    public func rounded(toScale scale: Int) -> Quantity {
        let scale = max(scale, 0)
        guard scale < self.scale else { return self }
        let divisor = PowerOfTen.power(self.scale - scale)
        let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: divisor)
        let half = divisor / 2
        let distance = abs(remainder)
        let roundsAway = distance > half || (distance == half && !quotient.isMultiple(of: 2))
        let step: Int128 = mantissa < 0 ? -1 : 1
        return Quantity(checkedMantissa: roundsAway ? quotient + step : quotient, scale: scale)
    }

    /// The mantissa of the same value at an equal or larger scale; `nil` if it has too many digits.
    func mantissa(atScale scale: Int) -> Int128? {
        guard scale != self.scale else { return mantissa }
        let (product, overflow) = mantissa.multipliedReportingOverflow(by: PowerOfTen.power(scale - self.scale))
        return overflow ? nil : product
    }

    private func exactSum(with other: Quantity) -> Quantity? {
        let scale = max(scale, other.scale)
        guard let left = mantissa(atScale: scale), let right = other.mantissa(atScale: scale) else { return nil }
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? nil : Quantity(ifFits: sum, scale: scale)
    }

    private func exactProduct(with other: Quantity) -> Quantity? {
        let (product, overflow) = mantissa.multipliedReportingOverflow(by: other.mantissa)
        return overflow ? nil : Quantity(ifFits: product, scale: scale + other.scale)
    }
}

extension Quantity {
    /// Returns this value times `numerator / denominator`, rounded to this value's scale, ties to even.
    ///
    /// The product has double width, so only the result can overflow.
    ///
    /// - Throws: ``QuantityError`` with the code ``QuantityError/Code/overflow`` if the result has too many digits.
    func multiplied(by numerator: Quantity, dividedBy denominator: Quantity) throws -> Quantity {
        let overflow = QuantityError.overflow("\(self) × \(numerator) ÷ \(denominator)")
        let commonScale = max(numerator.scale, denominator.scale)
        guard
            let numerator = numerator.mantissa(atScale: commonScale),
            let denominator = denominator.mantissa(atScale: commonScale),
            denominator != 0
        else { throw overflow }

        let product = mantissa.magnitude.multipliedFullWidth(by: numerator.magnitude)
        guard product.high < denominator.magnitude else { throw overflow }
        let (quotient, remainder) = denominator.magnitude.dividingFullWidth(product)
        let rest = denominator.magnitude - remainder
        let roundsUp = remainder > rest || (remainder == rest && !quotient.isMultiple(of: 2))
        guard quotient < PowerOfTen.limit - 1 else { throw overflow }
        let result = Int128(roundsUp ? quotient + 1 : quotient)
        let isNegative = isNegative != ((numerator < 0) != (denominator < 0))
        return Quantity(checkedMantissa: isNegative ? -result : result, scale: scale)
    }
}
