// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// A query for the sums of postings in each month, quarter, or year.
public struct GetBalanceColumns: CQDQuery {
    /// An interval and the sums of its postings.
    public struct Column: Sendable, Hashable {
        /// The first day of the interval.
        public let begin: BookDate

        /// The sums that aren't zero, ordered by account, then by commodity.
        public let balances: [GetBalances.Balance]
    }

    /// The intervals in order, without gaps.
    ///
    /// A period without a begin begins with the first transaction, and a period without an end ends with the last.
    public typealias Value = [Column]

    /// The length of the intervals.
    public let interval: BookInterval

    /// Patterns of which an account's name must match one, or none if they begin with `not:`; empty for all accounts.
    public let patterns: [String]

    /// The period of the transactions that are summed.
    public let period: BookPeriod

    /// Maximum number of levels of account names, at least 1; `nil` for all levels.
    public let depth: Int?

    /// Creates the query.
    public init(
        by interval: BookInterval, matching patterns: [String] = [], in period: BookPeriod = BookPeriod(),
        depth: Int? = nil
    ) {
        self.interval = interval
        self.patterns = patterns
        self.period = period
        self.depth = depth
    }
}

/// Reads the transactions.
///
/// Throws ``AccountPatternError``.
public final class GetBalanceColumnsHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on((any EntityStore).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetBalanceColumns) async throws -> [GetBalanceColumns.Column] {
        let patterns = try AccountPatterns(query.patterns)
        let totals = try await AccountTotals.byBegin(of: query.interval, in: query.period, of: store)
        let last = totals.keys.max()
        let first = query.period.begin ?? totals.keys.min()
        var columns: [GetBalanceColumns.Column] = []
        var next = first.flatMap { query.interval.period(containing: $0).begin }
        while let begin = next, query.period.end.map({ begin < $0 }) ?? last.map({ begin <= $0 }) ?? false {
            let amounts = try totals[begin]?.amounts(depth: query.depth) { try patterns.match($0) } ?? []
            let balances = amounts.flatMap { account, quantities in
                quantities.amounts.map { GetBalances.Balance(account: account, amount: $0) }
            }
            columns.append(GetBalanceColumns.Column(begin: begin, balances: balances))
            next = query.interval.period(containing: begin).end
        }
        return columns
    }
}
