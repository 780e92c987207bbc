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

    /// The amounts that were booked, without their signs, by commodity.
    ///
    /// An account that an earlier version has stored begins with its balances.
    private var turnovers: [String: Turnover] = [:]

    /// What was booked since that was last told.
    private var movements: [AccountMoved.Day: Quantity] = [:]

    private enum CodingKeys: CodingKey {
        case id, balances, transactionCount, rule, turnovers
    }

    /// Opens an account without money, and raises ``AccountOpened``.
    public init(opening name: String) {
        id = name.composed
        raiseEvent(AccountOpened(account: id))
    }

    /// Decodes an account; its names are composed, also if an earlier version has stored others.
    ///
    /// - Throws: `DecodingError` when the value isn't an account.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id).composed
        balances = Self.composed(try container.decode([String: Quantity].self, forKey: .balances))
        transactionCount = try container.decode(Int.self, forKey: .transactionCount)
        rule = try container.decodeIfPresent(AccountRule.self, forKey: .rule)
        let turnovers = try container.decodeIfPresent([String: Turnover].self, forKey: .turnovers)
        self.turnovers = turnovers.map { Self.composed($0) } ?? balances.mapValues { Turnover(of: $0) }
    }

    private static func composed<Value>(_ quantities: [String: Value]) -> [String: Value] {
        if quantities.keys.allSatisfy(\.isComposed) { return quantities }
        return Dictionary(quantities.map { ($0.key.composed, $0.value) }) { first, _ in first }
    }

    /// Adds `amount`, of a transaction of the day `date`, to what is on the account, and raises ``AccountTouched``
    /// once for all that is booked in one unit of work.
    ///
    /// - Throws: `PostingRefusal` with the code `overflow` if the sums have more digits than can be kept.
    public func book(_ amount: Amount, on date: BookDate) throws {
        let turnover = turnovers[amount.commodity] ?? Turnover()
        guard let sum = turnover.adding(amount.quantity) else {
            let range = turnover.digits.union(DigitRange(of: amount.quantity))
            throw PostingRefusal.beyondTotals(amount, on: id, needing: range)
        }
        turnovers[amount.commodity] = sum
        balances[amount.commodity] = try (balances[amount.commodity] ?? .zero).adding(amount.quantity)
        if movements.isEmpty { raiseEvent(AccountTouched(account: id)) }
        let day = AccountMoved.Day(date: date, commodity: amount.commodity)
        movements[day] = try (movements[day] ?? .zero).adding(amount.quantity)
    }

    /// The digits that all totals over postings of the account in `commodity` fit in.
    func digits(of commodity: String) -> DigitRange {
        turnovers[commodity]?.digits ?? DigitRange()
    }

    /// Books what `later` has beyond `earlier`, which are the account before and after a unit of work that was begun
    /// before this account was stored.
    ///
    /// - Returns: Whether the digits that this account or `later` needs are enough. If not, its state is undefined.
    /// - Throws: ``AccountRefusal`` if the rule of this account doesn't allow the result with these `movements`.
    func absorb(_ later: Account, since earlier: Account, movements: [AccountMoved.Movement]) throws -> Bool {
        for (commodity, balance) in later.balances {
            let digits = self.digits(of: commodity).union(later.digits(of: commodity))
            let change = try balance.subtracting(earlier.balances[commodity] ?? .zero)
            let turnover = (turnovers[commodity] ?? Turnover()).adding(
                later.turnovers[commodity] ?? Turnover(),
                since: earlier.turnovers[commodity] ?? Turnover()
            )
            guard let turnover, digits.covers(turnover.digits) else { return false }
            turnovers[commodity] = turnover
            balances[commodity] = try (balances[commodity] ?? .zero).adding(change)
        }
        transactionCount += later.transactionCount - earlier.transactionCount
        try rule?.check(self, movements: movements)
        return true
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
