//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerBooks

/// An account, with what is on it in each commodity.
public final class Account: StoredEntity {
    /// The name under which the entities are stored.
    public static let entityName = "account"

    /// What has happened to the entity and was not handled yet.
    public var raisedEvents = RaisedEvents()

    /// The full name, levels parted by colons.
    public let id: String

    /// What is on the account, by commodity; what has come to nothing stays, as zero.
    public private(set) var balances: [String: Quantity] = [:]

    /// Opens an account without money, and raises ``AccountOpened``.
    public init(opening name: String) {
        id = name
        raiseEvent(AccountOpened(account: name))
    }

    /// Adds `amount` to what is on the account.
    ///
    /// - Throws: `QuantityError` where the sum has more digits than can be kept.
    public func book(_ amount: Amount) throws {
        balances[amount.commodity] = try (balances[amount.commodity] ?? .zero).adding(amount.quantity)
    }
}
