// SPDX-License-Identifier: Apache-2.0

import Headrace
import LedgerBooks

/// The sums of postings by account and commodity.
struct AccountTotals {
    /// The sums, by account and then by commodity.
    private(set) var sums: [String: [String: Quantity]] = [:]

    /// Sums the postings of `period`.
    ///
    /// Without a begin and an end, these are the balances of the accounts. Otherwise, it reads the transactions of the
    /// period in pages, so that memory depends on the number of accounts only. Transactions that are posted meanwhile
    /// may be included or not, each as a whole.
    ///
    /// - Throws: `QuantityError` if a sum has too many digits; `StoreError`; `CancellationError`.
    init(of period: BookPeriod, in store: any EntityStore) async throws {
        if period.isUnlimited {
            for account in try await EntityContext(store).fetch(Account.self) { sums[account.id] = account.balances }
            return
        }
        var totals = AccountTotals()
        try await TransactionPages(of: store, in: period).forEach { try totals.add($0) }
        self = totals
    }

    private init() {}

    /// Returns the sums of the postings of `period` in each interval that has some, by its first day.
    ///
    /// - Throws: The same errors as ``init(of:in:)``.
    static func byBegin(
        of interval: BookInterval, in period: BookPeriod, of store: any EntityStore
    ) async throws -> [BookDate: AccountTotals] {
        var totals: [BookDate: AccountTotals] = [:]
        try await TransactionPages(of: store, in: period).forEach { transaction in
            guard let begin = interval.period(containing: transaction.date).begin else { return }
            try totals[begin, default: AccountTotals()].add(transaction)
        }
        return totals
    }

    private mutating func add(_ transaction: Transaction) throws {
        for posting in transaction.postings { try sums[posting.account, default: [:]].add(posting.amount) }
    }

    /// The sums of the accounts that `isIncluded` accepts, ordered by account.
    ///
    /// With a `depth`, each account is summed into its parent on that level.
    ///
    /// - Throws: `QuantityError` if a sum has too many digits.
    func amounts(
        depth: Int?,
        where isIncluded: (String) throws -> Bool
    ) throws -> [(account: String, quantities: [String: Quantity])] {
        var clipped: [String: [String: Quantity]] = [:]
        for (account, quantities) in sums where try isIncluded(account) {
            // A level can be empty.
            let levels = account.split(separator: ":", omittingEmptySubsequences: false)
            let name = depth.map { levels.prefix(max(1, $0)).joined(separator: ":") } ?? account
            try clipped[name, default: [:]].add(quantities)
        }
        return clipped.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
