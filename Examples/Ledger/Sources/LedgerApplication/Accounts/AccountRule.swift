// SPDX-License-Identifier: Apache-2.0

public import LedgerBooks

/// A constraint on an account and on each of its subaccounts.
///
/// It must hold whenever a unit of work is stored.
public struct AccountRule: Sendable, Hashable, Codable {
    /// Whether no balance of these accounts may be negative in any commodity.
    ///
    /// Each account counts on its own, so another account can't make up for it.
    public var neverBelowZero: Bool

    /// The first day on which nothing may be booked; `nil` if the accounts are open.
    public var closedFrom: BookDate?

    /// Creates a rule.
    public init(neverBelowZero: Bool = false, closedFrom: BookDate? = nil) {
        self.neverBelowZero = neverBelowZero
        self.closedFrom = closedFrom
    }

    /// Checks the balances of `account` and the dates of `movements`.
    ///
    /// - Parameters:
    ///   - account: The account with this rule, or one of its subaccounts.
    ///   - movements: The movements of the account.
    ///   - owner: The name of the account with this rule.
    /// - Throws: ``AccountRefusal``.
    func check(_ account: Account, movements: [AccountMoved.Movement] = [], of owner: String) throws {
        if let closedFrom, let late = movements.map(\.date).filter({ $0 >= closedFrom }).min() {
            throw AccountRefusal.closed(account.id, from: closedFrom, on: late, ruledBy: owner)
        }
        if neverBelowZero {
            let overdrawn = account.balances.filter { $0.value.isNegative }.min { $0.key < $1.key }
            if let (commodity, quantity) = overdrawn {
                throw AccountRefusal.belowZero(account.id, balance: Amount(quantity, commodity), ruledBy: owner)
            }
        }
    }
}
