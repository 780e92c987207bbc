//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import LedgerBooks

/// How many digits after the point the amounts of one report have, so that those of a commodity line up.
///
/// As many as most of them were written with, or more where one needs more; nothing is rounded. The product of
/// a price has as many as both together, which are zeros more often than not.
struct AmountStyle {
    private var scales: [String: Int] = [:]

    init(of amounts: [Amount]) {
        for (commodity, amounts) in Dictionary(grouping: amounts, by: \.commodity) {
            let written = Dictionary(grouping: amounts.map(\.quantity.scale), by: \.self)
            let usual = written.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.key ?? 0
            scales[commodity] = amounts.map { Self.neededScale(of: $0.quantity) }.reduce(usual, max)
        }
    }

    /// Gives `amount`, with as many digits as its commodity has in the report.
    func text(of amount: Amount) -> String {
        let scale = scales[amount.commodity] ?? 0
        var quantity = amount.quantity.rounded(toScale: scale)
        if quantity.scale < scale, let zeros = try? Quantity(mantissa: 0, scale: scale).adding(quantity) {
            quantity = zeros
        }
        return Amount(quantity, amount.commodity).description
    }

    /// The digits after the point without the zeros at their end.
    private static func neededScale(of quantity: Quantity) -> Int {
        var (mantissa, scale) = (quantity.mantissa, quantity.scale)
        while scale > 0, mantissa.isMultiple(of: 10) {
            mantissa /= 10
            scale -= 1
        }
        return scale
    }
}
