// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// The assets, the liabilities, and the equity at the end of a day.
public struct BalanceSheet: Sendable, Hashable {
    /// The first day that isn't included; `nil` if all transactions are included.
    public let end: BookDate?

    /// The assets.
    public let assets: ReportSection

    /// The liabilities, where a debt is positive.
    public let liabilities: ReportSection

    /// The accounts below `equity`, where a contribution is positive.
    ///
    /// Income and expenses that weren't posted to equity are not included.
    public let equity: ReportSection

    /// The assets minus the liabilities, without zeros, ordered by commodity.
    public let net: [Amount]

    /// The names of the accounts with amounts that have no type; see `AccountType`.
    ///
    /// The balance sheet doesn't include them.
    public let untyped: [String]
}

/// Returns the assets, the liabilities, and the equity at the end of a day.
///
/// Transactions that are posted during the query may be included or not, each as a whole.
public struct GetBalanceSheet: CQDQuery {
    /// The balance sheet.
    public typealias Value = BalanceSheet

    /// The first day that isn't included; `nil` for all transactions.
    public let end: BookDate?

    /// Maximum number of levels of account names, at least 1; `nil` for all levels.
    public let depth: Int?

    /// Creates the query.
    public init(before end: BookDate? = nil, depth: Int? = nil) {
        self.end = end
        self.depth = depth
    }
}

/// Handles ``GetBalanceSheet``.
public final class GetBalanceSheetHandler: HandlesQuery, Resolvable {
    private let store: any EntityStore

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on((any EntityStore).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        store = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetBalanceSheet) async throws -> BalanceSheet {
        let totals = try await AccountTotals(of: BookPeriod(before: query.end), in: store)
        let types = try await AccountTypes(in: store)
        let assets = try ReportSection(.asset, of: totals, with: types, depth: query.depth)
        let liabilities = try ReportSection(.liability, of: totals, with: types, depth: query.depth)
        return BalanceSheet(
            end: query.end,
            assets: assets,
            liabilities: liabilities,
            equity: try ReportSection(.equity, of: totals, with: types, depth: query.depth),
            net: try assets.minus(liabilities),
            untyped: try totals.untyped(types)
        )
    }
}
