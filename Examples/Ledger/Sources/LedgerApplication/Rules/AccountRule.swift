//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
public import LedgerBooks

/// What must hold of an account whenever a unit of work is stored.
public struct AccountRule: Sendable, Hashable, Codable {
    /// Whether in no commodity there may be less than nothing.
    public var neverBelowZero: Bool

    /// The first day on which nothing may be booked any more, or nil.
    public var closedFrom: BookDate?

    /// Creates a rule.
    public init(neverBelowZero: Bool = false, closedFrom: BookDate? = nil) {
        self.neverBelowZero = neverBelowZero
        self.closedFrom = closedFrom
    }

    /// Checks the balances of `account`, and the days on which something was booked.
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
