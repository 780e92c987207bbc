//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import LedgerBooks

/// How many digits after the point the amounts of a commodity have, the same in every report.
///
/// Nothing is rounded.
struct AmountStyle {
    private let scales: [String: Int]

    /// Takes the digits of each commodity.
    init(_ scales: [String: Int]) {
        self.scales = scales
    }

    /// Returns the quantity of `amount`, with as many digits as its commodity has.
    func quantity(of amount: Amount) -> Quantity {
        let zeros = try? Quantity(mantissa: 0, scale: scales[amount.commodity] ?? 0)
        return (try? zeros?.adding(amount.quantity)) ?? amount.quantity
    }

    /// Returns `amount` as text, with as many digits as its commodity has.
    func text(of amount: Amount) -> String {
        Amount(quantity(of: amount), amount.commodity).description
    }
}
