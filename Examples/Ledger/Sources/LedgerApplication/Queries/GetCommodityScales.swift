// SPDX-License-Identifier: Apache-2.0

public import Headrace
import LedgerBooks

/// A query for the maximum number of digits after the point in the written amounts of each commodity.
///
/// Amounts that were computed to balance a transaction don't count.
public struct GetCommodityScales: CQDQuery {
    /// The number of digits, by commodity.
    public typealias Value = [String: Int]

    /// Creates the query.
    public init() {}
}

/// Reads the balances.
///
/// A sum has as many digits as the most precise of its amounts.
public final class GetCommodityScalesHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetCommodityScales) async throws -> [String: Int] {
        var scales: [String: Int] = [:]
        for account in try await context.fetch(Account.self) {
            scales.merge(account.scales, uniquingKeysWith: max)
        }
        return scales
    }
}
