//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import LedgerBooks

/// A constraint on an account.
///
/// It must hold whenever a unit of work is stored.
public struct AccountRule: Sendable, Hashable, Codable {
    /// Whether the balance must not be negative in any commodity.
    public var neverBelowZero: Bool

    /// The first day on which nothing may be booked; `nil` if the account is open.
    public var closedFrom: BookDate?

    /// Creates a rule.
    public init(neverBelowZero: Bool = false, closedFrom: BookDate? = nil) {
        self.neverBelowZero = neverBelowZero
        self.closedFrom = closedFrom
    }

    /// Checks the balances of `account` and the dates of `movements`.
    ///
    /// - Throws: ``AccountRefusal``.
    func check(_ account: Account, movements: [AccountMoved.Movement] = []) throws {
        if let closedFrom, let late = movements.map(\.date).filter({ $0 >= closedFrom }).min() {
            throw AccountRefusal.closed(account.id, from: closedFrom, on: late)
        }
        if neverBelowZero {
            let overdrawn = account.balances.filter { $0.value.isNegative }.min { $0.key < $1.key }
            if let (commodity, quantity) = overdrawn {
                throw AccountRefusal.belowZero(account.id, balance: Amount(quantity, commodity))
            }
        }
    }
}
