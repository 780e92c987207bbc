// SPDX-License-Identifier: Apache-2.0

/// The cost of a posting's amount in another commodity.
public enum Cost: Sendable, Hashable {
    /// The price of one unit, written `@`.
    case unit(Amount)

    /// The price of the whole amount, written `@@`.
    ///
    /// It has the sign of a purchase.
    case total(Amount)

    /// Returns the cost of `quantity`.
    ///
    /// It is negative if the quantity is negative.
    ///
    /// A unit price is multiplied exactly. Trailing zeros of the product are removed down to the digits of the price:
    /// 200.00 units at 0.92 cost 184.00. A total price receives the sign of the quantity.
    ///
    /// - Throws: ``QuantityError`` with the code ``QuantityError/Code/overflow`` if the product needs more
    ///   than ``Quantity/maximumDigits`` digits.
    public func amount(for quantity: Quantity) throws -> Amount {
        switch self {
        case .unit(let price):
            Amount(
                try quantity.multiplied(by: price.quantity).droppingZeros(downToScale: price.quantity.scale),
                price.commodity
            )
        case .total(let price): quantity.isNegative ? price.negated : price
        }
    }

    /// The price, of one unit or of the whole amount.
    public var price: Amount {
        switch self {
        case .unit(let price), .total(let price): price
        }
    }
}

extension Cost: Codable {
    private enum CodingKeys: String, CodingKey { case unit, total }

    /// Decodes an object with exactly one of the keys `unit` and `total`.
    ///
    /// - Throws: `DecodingError` for any other shape.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let unit = try container.decodeIfPresent(Amount.self, forKey: .unit)
        let total = try container.decodeIfPresent(Amount.self, forKey: .total)
        switch (unit, total) {
        case (let unit?, nil): self = .unit(unit)
        case (nil, let total?): self = .total(total)
        default:
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A cost must have either 'unit' or 'total'.")
            )
        }
    }

    /// Encodes an object with the key `unit` or `total`.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .unit(let price): try container.encode(price, forKey: .unit)
        case .total(let price): try container.encode(price, forKey: .total)
        }
    }
}
