// SPDX-License-Identifier: Apache-2.0

extension [String: Quantity] {
    /// Adds `others`, commodity by commodity.
    ///
    /// - Throws: ``QuantityError`` if a sum has too many digits.
    public mutating func add(_ others: [String: Quantity]) throws {
        for (commodity, quantity) in others { try add(Amount(quantity, commodity)) }
    }

    /// Adds `amount` to the quantity of its commodity.
    ///
    /// - Throws: ``QuantityError`` if the sum has too many digits.
    public mutating func add(_ amount: Amount) throws {
        self[amount.commodity] = try (self[amount.commodity] ?? .zero).adding(amount.quantity)
    }

    /// The quantities that aren't zero, ordered by commodity.
    public var amounts: [Amount] {
        sorted { $0.key < $1.key }.compactMap { $0.value.isZero ? nil : Amount($0.value, $0.key) }
    }
}
