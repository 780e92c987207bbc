// SPDX-License-Identifier: Apache-2.0

/// A conversion without a written price: one commodity was exchanged for exactly one other commodity.
struct InferredConversion {
    /// The commodity that receives the cost.
    ///
    /// It occurs first in the transaction.
    private let bought: Amount

    /// The amount of the other commodity, as a positive price.
    private let price: Amount

    /// Finds the conversion in `postings`.
    ///
    /// Returns `nil` unless their sum has exactly two commodities without a price and with opposite signs.
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
        // A posting with a price may contain the commodity before the postings without a price.
        let first = postings.first { posting in remaining.contains { $0.commodity == posting.amount?.commodity } }
        let boughtIndex = first?.amount?.commodity == remaining[1].commodity ? 1 : 0
        bought = remaining[boughtIndex]
        let paid = remaining[1 - boughtIndex]
        price = Amount(paid.quantity.magnitude, paid.commodity)
    }

    /// Returns the postings of `drafts`, in which each posting of the bought commodity has its share of the price.
    func applied(to drafts: [PostingDraft]) throws -> [Posting] {
        var running = Quantity.zero
        var sharedSoFar = Quantity.zero
        var postings: [Posting] = []
        postings.reserveCapacity(drafts.count)
        for draft in drafts {
            guard let amount = draft.amount else { continue }
            var cost = draft.cost
            if cost == nil, amount.commodity == bought.commodity {
                // The running total is rounded instead of each share. So the shares add up to the price, and no share
                // has the wrong sign.
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

/// A commodity with its price.
///
/// Amounts are summed only if both are equal.
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
