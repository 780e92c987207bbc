//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A quantity of one commodity, such as 12.50 EUR.
public struct Amount: Sendable, Hashable, Codable {
    /// How much.
    public var quantity: Quantity

    /// The symbol of what is counted, without quotes; empty for a bare number.
    public var commodity: String

    /// Creates an amount.
    public init(_ quantity: Quantity, _ commodity: String = "") {
        self.quantity = quantity
        self.commodity = commodity
    }

    /// The same amount with the opposite sign.
    public var negated: Amount { Amount(quantity.negated, commodity) }
}

extension Amount: CustomStringConvertible {
    /// The quantity, then the symbol, in quotes where a journal needs them, as in `-1.50 EUR`.
    public var description: String {
        guard !commodity.isEmpty else { return quantity.description }
        let isPlain = commodity.utf8.allSatisfy { byte in
            byte >= 0x80 || (byte > 0x20 && !Self.bytesThatNeedQuotes.contains(byte))
        }
        return isPlain ? "\(quantity) \(commodity)" : "\(quantity) \"\(commodity)\""
    }

    private static let bytesThatNeedQuotes = Set("0123456789,.+-*;=@{}()[]\"".utf8)
}
