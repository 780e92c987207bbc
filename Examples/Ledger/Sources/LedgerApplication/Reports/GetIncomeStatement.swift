// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// The income and the expenses of a period.
public struct IncomeStatement: Sendable, Hashable {
    /// The period.
    public let period: BookPeriod

    /// The income, which is mostly positive.
    public let income: ReportSection

    /// The expenses, which are mostly positive.
    public let expenses: ReportSection

    /// The income minus the expenses, without zeros, ordered by commodity.
    public let net: [Amount]

    /// The names of the accounts with amounts that have no type; see `AccountType`.
    ///
    /// The statement doesn't include them.
    public let untyped: [String]
}

/// Returns the income and the expenses of a period.
///
/// Transactions that are posted during the query may be included or not, each as a whole.
public struct GetIncomeStatement: CQDQuery {
    /// The statement.
    public typealias Value = IncomeStatement

    /// The period.
    public let period: BookPeriod

    /// Maximum number of levels of account names, at least 1; `nil` for all levels.
    public let depth: Int?

    /// Creates the query.
    public init(in period: BookPeriod = BookPeriod(), depth: Int? = nil) {
        self.period = period
        self.depth = depth
    }
}

/// Handles ``GetIncomeStatement``.
public final class GetIncomeStatementHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on((any EntityStore).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetIncomeStatement) async throws -> IncomeStatement {
        let totals = try await AccountTotals(of: query.period, in: store)
        let types = try await AccountTypes(in: store)
        let income = try ReportSection(.income, of: totals, with: types, depth: query.depth)
        let expenses = try ReportSection(.expense, of: totals, with: types, depth: query.depth)
        return IncomeStatement(
            period: query.period,
            income: income,
            expenses: expenses,
            net: try income.minus(expenses),
            untyped: try totals.untyped(types)
        )
    }
}
