//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One line of a balanced transaction: an amount that an account receives, or gives where negative.
///
/// The balance of an account is the sum of the amounts of its postings, commodity by commodity.
public struct Posting: Sendable, Hashable, Codable {
    /// The full name of the account, levels parted by colons; never empty.
    public let account: String

    /// What the account receives.
    public let amount: Amount

    /// What the amount cost in another commodity, written or inferred, or nil.
    public let cost: Cost?

    /// Creates a posting.
    public init(account: String, amount: Amount, cost: Cost? = nil) {
        self.account = account
        self.amount = amount
        self.cost = cost
    }
}
