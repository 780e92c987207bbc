// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// A query for the balances of accounts.
public struct GetBalances: CQDQuery {
    /// The balance of one account in one commodity.
    public struct Balance: Sendable, Hashable {
        /// The full name of the account.
        public let account: String

        /// The balance, never zero.
        public let amount: Amount
    }

    /// The balances, ordered by account, then by commodity.
    public typealias Value = [Balance]

    /// Patterns of which an account's name must match one, or none if they begin with `not:`; empty for all accounts.
    public let patterns: [String]

    /// The period of the transactions that are summed.
    public let period: BookPeriod

    /// Maximum number of levels of account names, at least 1; `nil` for all levels.
    ///
    /// Accounts on deeper levels are summed into their parents.
    public let depth: Int?

    /// Creates the query.
    public init(matching patterns: [String] = [], in period: BookPeriod = BookPeriod(), depth: Int? = nil) {
        self.patterns = patterns
        self.period = period
        self.depth = depth
    }
}

/// Reads the balances that are stored in the accounts.
public final class GetBalancesHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on((any EntityStore).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetBalances) async throws -> [GetBalances.Balance] {
        let patterns = try AccountPatterns(query.patterns)
        let totals = try await AccountTotals(of: query.period, in: store)
        let accounts = try totals.amounts(depth: query.depth) { try patterns.match($0) }
        return accounts.flatMap { account, quantities in
            quantities.amounts.map { GetBalances.Balance(account: account, amount: $0) }
        }
    }
}
