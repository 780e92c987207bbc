// SPDX-License-Identifier: Apache-2.0

extension Quantity {
    /// Returns the same value without trailing zeros, except those within the first `scale` digits after the point.
    func droppingZeros(downToScale scale: Int) -> Quantity {
        var (mantissa, digits) = (mantissa, self.scale)
        while digits > scale, mantissa.isMultiple(of: 10) {
            mantissa /= 10
            digits -= 1
        }
        return Quantity(checkedMantissa: mantissa, scale: digits)
    }
}
