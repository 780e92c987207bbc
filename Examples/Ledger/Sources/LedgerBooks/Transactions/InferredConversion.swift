//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A purchase that nobody priced: one commodity given for exactly one other.
struct InferredConversion {
    /// The commodity that gets the cost: of the two, the one that is written first.
    private let bought: Amount

    /// What was given for it, as a positive price.
    private let price: Amount

    /// Finds the conversion in `postings`, or nil where their sum is not of exactly two unpriced
    /// commodities with opposite signs.
    init?(of postings: [PostingDraft]) throws {
        var totals = CommodityTotals<PricedCommodity>()
        var totalPrices = CommodityTotals<PricedCommodity>()
        for posting in postings {
            guard let amount = posting.amount else { return nil }
            let key = PricedCommodity(commodity: amount.commodity, cost: posting.cost)
            try totals.add(amount.quantity, to: key)
            if case .total? = posting.cost, let value = try posting.cost?.amount(for: amount.quantity) {
                try totalPrices.add(value.quantity, to: key)
            }
        }
        var remaining: [Amount] = []
        for (key, sum) in zip(totals.keys, totals.sums) {
            if sum.isZero && totalPrices[key]?.isZero != false { continue }
            guard key.price == .none, remaining.count < 2 else { return nil }
            remaining.append(Amount(sum, key.commodity))
        }
        guard remaining.count == 2, remaining[0].quantity.isNegative != remaining[1].quantity.isNegative else {
            return nil
        }
        // A priced posting may name a commodity before the unpriced ones do.
        let first = postings.first { posting in remaining.contains { $0.commodity == posting.amount?.commodity } }
        let boughtIndex = first?.amount?.commodity == remaining[1].commodity ? 1 : 0
        bought = remaining[boughtIndex]
        let paid = remaining[1 - boughtIndex]
        price = Amount(paid.quantity.magnitude, paid.commodity)
    }

    /// Returns the postings of `drafts`, where the bought commodity has its share of the price.
    func applied(to drafts: [PostingDraft]) throws -> [Posting] {
        var running = Quantity.zero
        var sharedSoFar = Quantity.zero
        var postings: [Posting] = []
        postings.reserveCapacity(drafts.count)
        for draft in drafts {
            guard let amount = draft.amount else { continue }
            var cost = draft.cost
            if cost == nil, amount.commodity == bought.commodity {
                // Rounding the running total, not each share, leaves nothing over at the end and never
                // gives a share the wrong sign.
                running = try running.adding(amount.quantity)
                let shared = try price.quantity.multiplied(by: running, dividedBy: bought.quantity)
                let share = try shared.subtracting(sharedSoFar)
                sharedSoFar = shared
                cost = .total(Amount(share.magnitude, price.commodity))
            }
            postings.append(Posting(account: draft.account, amount: amount, cost: cost))
        }
        return postings
    }
}

/// A commodity together with its price: amounts are added up only where both agree.
private struct PricedCommodity: Hashable {
    enum Price: Hashable {
        case none
        case unit(Amount)
        case total(commodity: String)
    }

    let commodity: String
    let price: Price

    init(commodity: String, cost: Cost?) {
        self.commodity = commodity
        price =
            switch cost {
            case nil: .none
            case .unit(let price): .unit(price)
            case .total(let price): .total(commodity: price.commodity)
            }
    }
}
