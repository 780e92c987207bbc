//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension TransactionDraft {
    /// Returns the postings of this draft with every amount filled in, proved to add up to zero.
    ///
    /// Each amount counts at its cost where it has one. The rules are those of hledger 1.25, applied to
    /// this transaction alone:
    ///
    /// 1. One posting may leave its amount out. It takes the exact opposite of the others' sum, as one
    ///    posting for each commodity in which that sum is not zero, in place of the one that was written.
    /// 2. Where no amount is left out and the amounts sum to exactly two commodities, neither of them
    ///    priced and of opposite signs, the one that is written first is taken to have been bought with
    ///    the other. Its postings get a total cost; several share it in proportion, rounded to the digits
    ///    of the price so that the shares add up to it exactly.
    /// 3. Otherwise each commodity must sum to zero **at the precision of the written amounts**: the most
    ///    digits after the point among the posting amounts in it, or, where it occurs only in costs, among
    ///    those. A sum of half a unit of the last digit still counts as zero.
    ///
    /// hledger takes the precision in rule 3 from the whole journal and its directives, so the two differ
    /// where another transaction, a `P` or `D` price or a `commodity` format writes that commodity with
    /// more digits (hledger is stricter) or a `commodity` format has fewer (hledger is laxer). hledger also
    /// lets a transaction without postings and a single posting of zero pass; here both are refused.
    ///
    /// Related hledger documentation: <https://hledger.org/1.25/hledger.html>
    ///
    /// - Complexity: O(*n*) in the number of postings.
    /// - Throws: ``PostingRefusal``, with a code for each reason.
    public func balanced() throws -> [Posting] {
        try checkShape()
        do {
            return try postingsAddingUpToZero()
        } catch let error as QuantityError {
            throw PostingRefusal.overflow(error)
        }
    }

    /// Refuses what no amounts could balance.
    private func checkShape() throws {
        guard let first = postings.first else { throw PostingRefusal.noPostings }
        if let blank = postings.firstIndex(where: { $0.account.allSatisfy(\.isWhitespace) }) {
            throw PostingRefusal.emptyAccount(at: blank + 1)
        }
        if let unpaid = postings.first(where: { $0.amount == nil && $0.cost != nil }) {
            throw PostingRefusal.costWithoutAmount(of: unpaid.account)
        }
        guard postings.count > 1 else { throw PostingRefusal.singlePosting(to: first.account) }
        var elidedCount = 0
        for posting in postings where posting.amount == nil { elidedCount += 1 }
        guard elidedCount <= 1 else {
            throw PostingRefusal.severalElidedAmounts(of: postings.filter { $0.amount == nil }.map(\.account))
        }
    }

    private func postingsAddingUpToZero() throws -> [Posting] {
        var totals = CommodityTotals<String>()
        var hasElidedAmount = false
        for posting in postings {
            guard let amount = posting.amount else {
                hasElidedAmount = true
                continue
            }
            let value = try posting.cost?.amount(for: amount.quantity) ?? amount
            try totals.add(value.quantity, to: value.commodity)
        }
        if hasElidedAmount { return filledIn(to: totals) }
        if let conversion = try InferredConversion(of: postings) { return try conversion.applied(to: postings) }

        let imbalance = totals.nonzero
        if !imbalance.isEmpty {
            let digits = writtenDigits()
            let offending = imbalance.filter { amount in
                !amount.quantity.rounded(toScale: digits[amount.commodity] ?? 0).isZero
            }
            guard offending.isEmpty else { throw PostingRefusal.unbalanced(by: offending) }
        }
        return postings.compactMap { posting in
            posting.amount.map { Posting(account: posting.account, amount: $0, cost: posting.cost) }
        }
    }

    /// The postings, with the one that has no amount taking the opposite of `totals`.
    private func filledIn(to totals: CommodityTotals<String>) -> [Posting] {
        var filled: [Posting] = []
        filled.reserveCapacity(postings.count)
        for posting in postings {
            if let amount = posting.amount {
                filled.append(Posting(account: posting.account, amount: amount, cost: posting.cost))
                continue
            }
            let missing = totals.nonzero.map(\.negated)
            let amounts = missing.isEmpty ? [Amount(.zero, totals.keys.first ?? "")] : missing
            filled += amounts.map { Posting(account: posting.account, amount: $0) }
        }
        return filled
    }

    /// The digits after the point at which each commodity is checked.
    private func writtenDigits() -> [String: Int] {
        var amountDigits: [String: Int] = [:]
        var costDigits: [String: Int] = [:]
        for posting in postings {
            if let amount = posting.amount {
                amountDigits[amount.commodity] = max(amountDigits[amount.commodity] ?? 0, amount.quantity.scale)
            }
            if let price = posting.cost?.price {
                costDigits[price.commodity] = max(costDigits[price.commodity] ?? 0, price.quantity.scale)
            }
        }
        return amountDigits.merging(costDigits) { fromAmounts, _ in fromAmounts }
    }
}
