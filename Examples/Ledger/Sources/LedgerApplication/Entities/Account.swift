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

    /// How many transactions have their first posting here: summed over all accounts, how many there are.
    public private(set) var transactionCount = 0

    /// What must hold of the account; nothing unless it was said.
    public private(set) var rule: AccountRule?

    /// What was booked since that was last told.
    private var movements: [AccountMoved.Day: Quantity] = [:]

    private enum CodingKeys: CodingKey {
        case id, balances, transactionCount, rule
    }

    /// Opens an account without money, and raises ``AccountOpened``.
    public init(opening name: String) {
        id = name
        raiseEvent(AccountOpened(account: name))
    }

    /// Adds `amount`, of a transaction of the day `date`, to what is on the account, and raises ``AccountTouched``
    /// once for all that is booked in one unit of work.
    ///
    /// - Throws: `QuantityError` where the sum has more digits than can be kept.
    public func book(_ amount: Amount, on date: BookDate) throws {
        balances[amount.commodity] = try (balances[amount.commodity] ?? .zero).adding(amount.quantity)
        if movements.isEmpty { raiseEvent(AccountTouched(account: id)) }
        let day = AccountMoved.Day(date: date, commodity: amount.commodity)
        movements[day] = try (movements[day] ?? .zero).adding(amount.quantity)
    }

    /// Counts a transaction whose first posting is to the account.
    public func countTransaction() {
        transactionCount += 1
    }

    /// Has `rule` hold from now on, `nil` for none, and raises ``AccountRuleSet``.
    ///
    /// - Throws: ``AccountRefusal`` where the account breaks it as it stands.
    public func setRule(_ rule: AccountRule?) throws {
        try rule?.check(self)
        self.rule = rule
        raiseEvent(AccountRuleSet(account: id, rule: rule))
    }

    /// Raises ``AccountMoved`` with all that was booked since this was last done.
    func tellMovements() {
        if movements.isEmpty { return }
        raiseEvent(AccountMoved(account: id, changes: movements))
        movements = [:]
    }
}

extension Account {
    /// The name under which commands take turns in changing the account `name`.
    static func turn(of name: String) -> String { "account/\(name)" }

    /// The names for all accounts of `draft`.
    static func turns(of draft: TransactionDraft) -> Set<String> {
        Set(draft.postings.map { turn(of: $0.account) })
    }
}
