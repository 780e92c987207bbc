// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// Returns the net worth at the end of each month with changes.
///
/// It is computed shortly after a transaction is posted.
public struct GetNetWorth: CQDQuery {
    /// The worth in one commodity at the end of a month.
    public struct Month: Sendable, Hashable {
        /// The month, like `2026-01`.
        public let month: String

        /// The commodity.
        public let commodity: String

        /// The sum of the assets.
        public let assets: Quantity

        /// The sum of the liabilities, which is mostly negative.
        public let liabilities: Quantity

        /// The sum of both.
        public let net: Quantity
    }

    /// The months in order, each by commodity.
    public typealias Value = [Month]

    /// Creates the query.
    public init() {}
}

/// Handles ``GetNetWorth``.
public final class GetNetWorthHandler: HandlesQuery, Resolvable {
    private let projections: Projections
    private let store: any EntityStore

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(Projections.self).on((any EntityStore).self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        projections = scope.resolve()
        store = scope.resolve()
    }

    /// Handles the query.
    ///
    /// - Throws: `ProjectionError` with the code `building` until all transactions have been read once.
    public func handle(_ query: GetNetWorth) async throws -> [GetNetWorth.Month] {
        let types = try await AccountTypes(in: store)
        // The keys of the rows begin with the month and the commodity.
        let changes = try await projections.read(MonthlyChange.projection) { rows in try await rows.fetch() }
        var months: [GetNetWorth.Month] = []
        var sums: [String: (assets: Quantity, liabilities: Quantity)] = [:]
        for change in changes {
            var sum = sums[change.commodity] ?? (.zero, .zero)
            switch types[change.account] {
            case .asset: sum.assets = try sum.assets.adding(change.change)
            case .liability: sum.liabilities = try sum.liabilities.adding(change.change)
            case .equity, .income, .expense, nil: continue
            }
            sums[change.commodity] = sum
            let month = GetNetWorth.Month(
                month: change.month,
                commodity: change.commodity,
                assets: sum.assets,
                liabilities: sum.liabilities,
                net: try sum.assets.adding(sum.liabilities)
            )
            if let last = months.last, last.month == month.month, last.commodity == month.commodity {
                months.removeLast()
            }
            months.append(month)
        }
        return months
    }
}
