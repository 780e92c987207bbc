// SPDX-License-Identifier: Apache-2.0

/// The sum of quantities without their signs.
///
/// It is an upper bound of every signed sum of some of the quantities, and has the largest scale of the quantities. So
/// if the turnover fits into a number of digits before and after the point, each signed sum fits, too.
public struct Turnover: Sendable, Hashable {
    private var sum: Quantity

    /// Creates the turnover of one quantity.
    ///
    /// The default is the turnover of no quantities.
    public init(of quantity: Quantity = .zero) {
        sum = quantity.normalized.magnitude
    }

    /// The digits that are sufficient for every sum of some of the quantities.
    public var digits: DigitRange {
        DigitRange(integerDigits: DigitRange(of: sum).integerDigits, fractionDigits: sum.scale)
    }

    /// Returns the turnover with one more quantity; `nil` if it has too many digits.
    public func adding(_ quantity: Quantity) -> Turnover? {
        let added = quantity.normalized.magnitude
        // If the sum is exact only without trailing zeros, it has lost the scale of the quantities.
        guard let total = try? sum.adding(added), total.scale == max(sum.scale, added.scale) else { return nil }
        var turnover = self
        turnover.sum = total
        return turnover
    }

    /// Returns this turnover plus the difference between `later` and `earlier`; `nil` if it has too many digits.
    ///
    /// `later` is `earlier` with more quantities.
    public func adding(_ later: Turnover, since earlier: Turnover) -> Turnover? {
        guard let added = try? later.sum.subtracting(earlier.sum), let total = try? sum.adding(added) else {
            return nil
        }
        let scale = max(sum.scale, later.sum.scale)
        guard let fine = try? Quantity(mantissa: 0, scale: scale).adding(total), fine.scale == scale else { return nil }
        var turnover = self
        turnover.sum = fine
        return turnover
    }
}

extension Turnover: Codable {
    /// Decodes the plain text of the sum.
    ///
    /// - Throws: `DecodingError` if the value isn't a quantity.
    public init(from decoder: any Decoder) throws {
        sum = try Quantity(from: decoder)
    }

    /// Encodes the plain text of the sum.
    ///
    /// - Throws: Any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try sum.encode(to: encoder)
    }
}
