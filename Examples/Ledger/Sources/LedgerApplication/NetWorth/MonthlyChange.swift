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

    /// The change of the accounts below `assets`.
    private(set) var assets = Quantity.zero

    /// The change of the accounts below `liabilities`, which is mostly negative.
    private(set) var liabilities = Quantity.zero

    init(in month: String, of commodity: String) {
        id = "\(month) \(commodity)"
        self.month = month
        self.commodity = commodity
    }

    /// Adds a change of an account below the top-level account `root`.
    mutating func add(_ change: Quantity, to root: Substring) throws {
        switch root {
        case "assets": assets = try assets.adding(change)
        case "liabilities": liabilities = try liabilities.adding(change)
        default: break
        }
    }
}

extension MonthlyChange {
    /// The changes of assets and liabilities by month.
    static let projection = Projection<MonthlyChange>("monthly-changes", version: 1)
        .applying(AccountMoved.self) { event, rows in
            let root = event.account.prefix { $0 != ":" }
            guard ["assets", "liabilities"].contains(root) else { return }
            for movement in event.movements {
                let month = String(movement.date.description.prefix(7))
                let row = MonthlyChange(in: month, of: movement.commodity.composed)
                try await rows.update(row.id, orInsert: row) { try $0.add(movement.change, to: root) }
            }
        }
}
