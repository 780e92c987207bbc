// SPDX-License-Identifier: Apache-2.0

import LedgerBooks

/// The format of amounts: each commodity has the same number of digits after the point in all reports.
///
/// Nothing is rounded.
struct AmountStyle {
    private let scales: [String: Int]

    /// Creates a style from the number of digits of each commodity.
    init(_ scales: [String: Int]) {
        self.scales = scales
    }

    /// Returns the quantity of `amount`, with the digits of its commodity.
    func quantity(of amount: Amount) -> Quantity {
        let zeros = try? Quantity(mantissa: 0, scale: scales[amount.commodity] ?? 0)
        return (try? zeros?.adding(amount.quantity)) ?? amount.quantity
    }

    /// Returns `amount` as text, with the digits of its commodity.
    func text(of amount: Amount) -> String {
        Amount(quantity(of: amount), amount.commodity).description
    }
}
