// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// An account with its balance in each commodity.
public final class Account: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "account"

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The full name.
    ///
    /// Colons separate the levels.
    public let id: String

    /// The balances by commodity.
    ///
    /// A balance that returns to zero stays as zero.
    public private(set) var balances: [String: Quantity] = [:]

    /// Number of transactions whose first posting is to the account.
    ///
    /// The sum over all accounts is the number of transactions.
    public private(set) var transactionCount = 0

    /// The rule of the account; `nil` for none.
    public private(set) var rule: AccountRule?

    /// The sums of the booked amounts without their signs, by commodity.
    ///
    /// An account that was stored by an earlier version starts with its balances.
    private var turnovers: [String: Turnover] = [:]

    /// The sums of the bookings since the last ``finishBooking(under:)``.
    private var movements: [AccountMoved.Day: Quantity] = [:]

    /// The maximum number of digits after the point of the written amounts, by commodity.
    ///
    /// An account that was stored by an earlier version starts with the digits of its balances.
    private(set) var scales: [String: Int] = [:]

    /// Number of times that the rule of a parent was set; `nil` for never.
    ///
    /// It causes a conflict with a unit of work that has read the parent before.
    private var parentRuleCount: Int?

    private enum CodingKeys: CodingKey {
        case id, balances, transactionCount, rule, turnovers, scales, parentRuleCount
    }

    /// Opens an account with no balance, and raises ``AccountOpened``.
    public init(opening name: String) {
        id = name.composed
        raiseEvent(AccountOpened(account: id))
    }

    /// Decodes an account.
    ///
    /// Names that an earlier version has stored decomposed are composed (Unicode normalization form C).
    ///
    /// - Throws: `DecodingError` if the value isn't an account.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id).composed
        balances = Self.composed(try container.decode([String: Quantity].self, forKey: .balances))
        transactionCount = try container.decode(Int.self, forKey: .transactionCount)
        rule = try container.decodeIfPresent(AccountRule.self, forKey: .rule)
        let turnovers = try container.decodeIfPresent([String: Turnover].self, forKey: .turnovers)
        parentRuleCount = try container.decodeIfPresent(Int.self, forKey: .parentRuleCount)
        let scales = try container.decodeIfPresent([String: Int].self, forKey: .scales)
        self.scales = scales ?? balances.mapValues(\.scale)
        self.turnovers = turnovers.map { Self.composed($0) } ?? balances.mapValues { Turnover(of: $0) }
    }

    private static func composed<Value>(_ quantities: [String: Value]) -> [String: Value] {
        if quantities.keys.allSatisfy(\.isComposed) { return quantities }
        return Dictionary(quantities.map { ($0.key.composed, $0.value) }) { first, _ in first }
    }

    /// Adds `amount`, of a transaction with the date `date`, to the balance.
    ///
    /// Call ``finishBooking(under:)`` after the last booking of a unit of work.
    ///
    /// - Parameters:
    ///   - amount: The amount.
    ///   - date: The date of the transaction.
    ///   - scale: The number of digits after the point with which the amount was written; `nil` if it was computed.
    /// - Returns: The digits that totals over the account need now, if they needed fewer before.
    /// - Throws: `PostingRefusal` with the code `overflow` if the sums would have too many digits.
    func book(_ amount: Amount, on date: BookDate, scale: Int?) throws -> DigitRange? {
        let turnover = turnovers[amount.commodity] ?? Turnover()
        let digits = digits(of: amount.commodity)
        guard let sum = turnover.adding(amount.quantity) else {
            let range = turnover.digits.union(DigitRange(of: amount.quantity))
            throw PostingRefusal.beyondTotals(amount, on: id, needing: range)
        }
        turnovers[amount.commodity] = sum
        if let scale, scale > scales[amount.commodity] ?? -1 { scales[amount.commodity] = scale }
        balances[amount.commodity] = try (balances[amount.commodity] ?? .zero).adding(amount.quantity)
        let day = AccountMoved.Day(date: date, commodity: amount.commodity)
        movements[day] = try (movements[day] ?? .zero).adding(amount.quantity)
        return digits.covers(sum.digits) ? nil : sum.digits
    }

    /// Checks the rule, and raises one ``AccountMoved`` for all bookings since the last call.
    ///
    /// Without bookings, does nothing.
    ///
    /// - Parameter parents: The known parents of the account, whose rules hold for it, too.
    /// - Throws: ``AccountRefusal`` if the bookings break a rule.
    func finishBooking(under parents: [Account]) throws {
        if movements.isEmpty { return }
        let event = AccountMoved(account: id, changes: movements)
        try checkRules(under: parents, movements: event.movements)
        raiseEvent(event)
        movements = [:]
    }

    private func checkRules(under parents: [Account], movements: [AccountMoved.Movement]) throws {
        for owner in [self] + parents { try owner.rule?.check(self, movements: movements, of: owner.id) }
    }

    /// The digits that are sufficient for every total over postings of the account in `commodity`.
    func digits(of commodity: String) -> DigitRange {
        turnovers[commodity]?.digits ?? DigitRange()
    }

    /// Adds the difference between `later` and `earlier`: this account after and before a unit of work that had read an
    /// older version of it.
    ///
    /// - Returns: Whether the digits of this account and of `later` are sufficient. If not, the state is undefined.
    /// - Throws: ``AccountRefusal`` if the rules of this account and of its `parents` don't allow the result with these
    ///   `movements`.
    func absorb(
        _ later: Account, since earlier: Account, movements: [AccountMoved.Movement], under parents: [Account]
    ) throws -> Bool {
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
        scales.merge(later.scales, uniquingKeysWith: max)
        transactionCount += later.transactionCount - earlier.transactionCount
        try checkRules(under: parents, movements: movements)
        return true
    }

    /// Counts a transaction whose first posting is to the account.
    public func countTransaction() {
        transactionCount += 1
    }

    /// Sets the rule, or removes it if `rule` is `nil`, and raises ``AccountRuleSet``.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - subaccounts: The subaccounts, for which the rule holds, too.
    /// - Throws: ``AccountRefusal`` if the current balances break the rule.
    public func setRule(_ rule: AccountRule?, over subaccounts: [Account]) throws {
        for account in [self] + subaccounts { try rule?.check(account, of: id) }
        for account in subaccounts { account.parentRuleCount = (account.parentRuleCount ?? 0) + 1 }
        self.rule = rule
        raiseEvent(AccountRuleSet(account: id, rule: rule))
    }
}

extension Account {
    /// The lock key of the account `name`.
    static func lockKey(of name: String) -> String { "account/\(name)" }

    /// The names of the parents of the account `name`, the highest first.
    static func parents(of name: String) -> [String] {
        name.indices.filter { name[$0] == ":" }.map { String(name[..<$0]) }
    }

    /// The lock keys of all accounts of `draft`.
    static func lockKeys(of draft: TransactionDraft) -> Set<String> {
        Set(draft.postings.map { lockKey(of: $0.account) })
    }
}
