// SPDX-License-Identifier: Apache-2.0

/// A posting of a balanced transaction: an account and the amount that it receives.
///
/// The amount may be negative.
///
/// The balance of an account is the sum of the amounts of its postings, commodity by commodity.
public struct Posting: Sendable, Hashable, Codable {
    /// The full name of the account, composed and never empty.
    ///
    /// Colons separate the levels.
    public let account: String

    /// The amount that the account receives.
    public let amount: Amount

    /// The cost of the amount in another commodity, written or inferred; `nil` for none.
    public let cost: Cost?

    private enum CodingKeys: CodingKey { case account, amount, cost }

    /// Creates a posting.
    ///
    /// The names of the account and of the commodities are composed.
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

    /// Decodes a posting.
    ///
    /// Names that an earlier version has stored decomposed are composed.
    ///
    /// - Throws: `DecodingError` if the value isn't a posting.
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
    /// The same amount with a composed commodity symbol.
    fileprivate var composed: Amount { Amount(quantity, commodity.composed) }
}
