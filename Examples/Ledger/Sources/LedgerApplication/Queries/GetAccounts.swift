// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// Returns the names of accounts, ordered.
public struct GetAccounts: CQDQuery {
    /// The full names.
    public typealias Value = [String]

    /// Patterns of which an account's name must match one, or none if they begin with `not:`; empty for all accounts.
    public let patterns: [String]

    /// The period in which the accounts have postings.
    public let period: BookPeriod

    /// Maximum number of levels of account names, at least 1; `nil` for all levels.
    ///
    /// An account on a deeper level is replaced by its parent.
    public let depth: Int?

    /// Creates the query.
    public init(matching patterns: [String] = [], in period: BookPeriod = BookPeriod(), depth: Int? = nil) {
        self.patterns = patterns
        self.period = period
        self.depth = depth
    }
}

/// Handles ``GetAccounts``.
public final class GetAccountsHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on((any EntityStore).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetAccounts) async throws -> [String] {
        let totals = try await AccountTotals(of: query.period, in: store)
        let patterns = try AccountPatterns(query.patterns)
        return try totals.amounts(depth: query.depth) { try patterns.match($0) }.map(\.account)
    }
}
