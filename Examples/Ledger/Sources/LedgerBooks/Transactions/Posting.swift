//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One line of a balanced transaction: an amount that an account receives, or gives where negative.
///
/// The balance of an account is the sum of the amounts of its postings, commodity by commodity.
public struct Posting: Sendable, Hashable, Codable {
    /// The full name of the account, levels parted by colons; never empty, and composed.
    public let account: String

    /// What the account receives.
    public let amount: Amount

    /// What the amount cost in another commodity, written or inferred, or nil.
    public let cost: Cost?

    private enum CodingKeys: CodingKey { case account, amount, cost }

    /// Creates a posting; the names of the account and of commodities are composed.
    public init(account: String, amount: Amount, cost: Cost? = nil) {
        self.account = account.composed
        self.amount = amount.composed
        self.cost =
            switch cost {
            case .unit(let price): .unit(price.composed)
            case .total(let price): .total(price.composed)
            case nil: nil
            }
    }

    /// Decodes a posting; its names are composed, also if an earlier version has stored others.
    ///
    /// - Throws: `DecodingError` when the value isn't a posting.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            account: try container.decode(String.self, forKey: .account),
            amount: try container.decode(Amount.self, forKey: .amount),
            cost: try container.decodeIfPresent(Cost.self, forKey: .cost)
        )
    }
}

extension Amount {
    /// The same amount, the symbol of its commodity composed.
    fileprivate var composed: Amount { Amount(quantity, commodity.composed) }
}
