//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import LedgerBooks

/// The changes of all assets and of all liabilities in one month and one commodity.
///
/// The rows are computed from ``AccountMoved``, and again if the version of ``projection`` is raised.
struct MonthlyChange: ProjectionRow {
    /// The month, like `2026-01`, and the commodity.
    let id: String

    /// The month, like `2026-01`.
    let month: String

    /// The commodity.
    let commodity: String

    /// The change of the assets.
    private(set) var assets = Quantity.zero

    /// The change of the liabilities, which is mostly negative.
    private(set) var liabilities = Quantity.zero

    init(in month: String, of commodity: String) {
        id = "\(month) \(commodity)"
        self.month = month
        self.commodity = commodity
    }

    /// Adds a change of an account of `type`.
    mutating func add(_ change: Quantity, to type: AccountType) throws {
        switch type {
        case .asset: assets = try assets.adding(change)
        case .liability: liabilities = try liabilities.adding(change)
        case .equity, .income, .expense: break
        }
    }
}

extension MonthlyChange {
    /// The changes of assets and liabilities by month.
    ///
    /// Since version 2, the balance sheet has the same assets and liabilities; see `AccountType`.
    static let projection = Projection<MonthlyChange>("monthly-changes", version: 2)
        .applying(AccountMoved.self) { event, rows in
            guard let type = AccountType(ofAccount: event.account), [.asset, .liability].contains(type) else { return }
            for movement in event.movements {
                let month = String(movement.date.description.prefix(7))
                let row = MonthlyChange(in: month, of: movement.commodity.composed)
                try await rows.update(row.id, orInsert: row) { try $0.add(movement.change, to: type) }
            }
        }
}
