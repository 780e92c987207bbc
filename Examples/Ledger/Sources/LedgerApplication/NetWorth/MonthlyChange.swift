// SPDX-License-Identifier: Apache-2.0

import Headrace
import LedgerBooks

/// The change of an account in one month and one commodity.
///
/// The rows are computed from ``AccountMoved``, and again if the version of ``projection`` is raised.
struct MonthlyChange: ProjectionRow {
    /// The month, like `2026-01`, the commodity, and the account.
    let id: String

    /// The month, like `2026-01`.
    let month: String

    /// The commodity.
    let commodity: String

    /// The name of the account.
    let account: String

    /// The change.
    private(set) var change = Quantity.zero

    init(in month: String, of commodity: String, in account: String) {
        id = "\(month) \(commodity)\n\(account)"
        self.month = month
        self.commodity = commodity
        self.account = account
    }

    /// Adds a change.
    mutating func add(_ change: Quantity) throws {
        self.change = try self.change.adding(change)
    }
}

extension MonthlyChange {
    /// The changes of all accounts by month.
    ///
    /// Since version 3, the rows have accounts, because a journal can declare the type of an account at any time.
    static let projection = Projection<MonthlyChange>("monthly-changes", version: 3)
        .applying(AccountMoved.self) { event, rows in
            for movement in event.movements {
                let month = String(movement.date.description.prefix(7))
                let row = MonthlyChange(in: month, of: movement.commodity.composed, in: event.account.composed)
                try await rows.update(row.id, orInsert: row) { try $0.add(movement.change) }
            }
        }
}
