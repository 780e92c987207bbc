// SPDX-License-Identifier: Apache-2.0

extension TransactionDraft {
    /// Returns the postings of this draft with all amounts filled in, and checks that their sum is zero.
    ///
    /// An amount with a cost counts at its cost. The rules are the rules of hledger 1.25 for a single transaction:
    ///
    /// 1. One posting may omit its amount. Its amount is the exact opposite of the sum of the others. If that sum has
    ///   several commodities, the posting is replaced by one posting for each commodity.
    /// 2. If no amount is omitted and the sum has exactly two commodities, both without a price and with opposite
    ///   signs, the commodity that occurs first was bought with the other. Its postings receive a total cost. Several
    ///   postings share the cost in proportion, rounded to the digits of the price, so that the shares add up to it
    ///   exactly.
    /// 3. Otherwise, the sum of each commodity must be zero **at the precision of the written amounts**: the maximum
    ///   number of digits after the point in the posting amounts of the commodity or, if it occurs only in costs, in
    ///   the costs. A sum of half a unit of the last digit counts as zero.
    ///
    /// hledger determines the precision in rule 3 from the whole journal and its directives. So the two differ if
    /// another transaction, a `P` or `D` price, or a `commodity` format has more digits for the commodity (hledger is
    /// stricter), or if a `commodity` format has fewer digits (hledger is less strict). hledger also accepts a
    /// transaction without postings and a single posting of zero, which are errors here.
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

    /// Throws if no amounts could balance the transaction.
    private func checkShape() throws {
        guard let first = postings.first else { throw PostingRefusal.noPostings }
        if let blank = postings.firstIndex(where: { $0.account.allSatisfy(\.isWhitespace) }) {
            throw PostingRefusal.emptyAccount(at: blank + 1)
        }
        for posting in postings { try posting.checkNames() }
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

    /// The postings.
    ///
    /// A posting without an amount receives the opposite of `totals`.
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

    /// Maximum number of digits after the point in the written amounts, by commodity.
    ///
    /// Costs and the amount that balances the transaction don't count.
    public var writtenScales: [String: Int] {
        var scales: [String: Int] = [:]
        for case let amount? in postings.map(\.amount) {
            scales[amount.commodity] = max(scales[amount.commodity] ?? 0, amount.quantity.scale)
        }
        return scales
    }

    /// Number of digits after the point at which each commodity is checked.
    private func writtenDigits() -> [String: Int] {
        var costDigits: [String: Int] = [:]
        for case let price? in postings.map(\.cost?.price) {
            costDigits[price.commodity] = max(costDigits[price.commodity] ?? 0, price.quantity.scale)
        }
        return writtenScales.merging(costDigits) { fromAmounts, _ in fromAmounts }
    }
}
