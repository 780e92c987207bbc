// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// A query for the balance of an account and its subaccounts at the end of each day with transactions.
public struct GetHistory: CQDQuery {
    /// The balance at the end of a day.
    public struct Point: Sendable, Hashable {
        /// The day.
        public let date: BookDate

        /// The balance.
        public let quantity: Quantity
    }

    /// The balances in one commodity.
    public struct Series: Sendable, Hashable {
        /// The commodity.
        public let commodity: String

        /// The days, in order.
        public let points: [Point]
    }

    /// The series, ordered by commodity.
    public typealias Value = [Series]

    /// The full name of the account.
    public let account: String

    /// The maximum number of points in a series.
    ///
    /// If there are more days, the points are spread evenly over them, and the last day is included.
    public let limit: Int

    /// Creates the query.
    public init(of account: String, limit: Int = 1_000) {
        self.account = account
        self.limit = max(1, limit)
    }
}

/// Reads the daily statements, which are updated shortly after a transaction is posted.
///
/// Throws ``UnknownAccount``.
public final class GetHistoryHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetHistory) async throws -> [GetHistory.Series] {
        let accounts = try await Account.names(upFrom: query.account, in: context)
        let statements = try await context.fetch(
            DailyStatement.self,
            where: [.isOneOf(.account, Array(accounts))],
            orderedBy: .ascending(.date)
        )
        var series: [String: [GetHistory.Point]] = [:]
        for statement in statements {
            var points = series.removeValue(forKey: statement.commodity) ?? []
            let balance = try (points.last?.quantity ?? .zero).adding(statement.change)
            if points.last?.date == statement.date { points.removeLast() }
            points.append(GetHistory.Point(date: statement.date, quantity: balance))
            series[statement.commodity] = points
        }
        return series.sorted { $0.key < $1.key }.map { commodity, points in
            GetHistory.Series(commodity: commodity, points: Self.spread(points, over: query.limit))
        }
    }

    private static func spread(_ points: [GetHistory.Point], over limit: Int) -> [GetHistory.Point] {
        if points.count <= limit { return points }
        // Counted from the end, so that the last point is always included.
        return (1...limit).map { points[$0 * points.count / limit - 1] }
    }
}

extension Account {
    /// Returns the names of the account `name` and of its subaccounts.
    ///
    /// - Throws: ``UnknownAccount`` if there are none.
    static func names(upFrom name: String, in context: EntityContext) async throws -> Set<String> {
        let all = try await context.fetch(Account.self).map(\.id)
        let composed = name.composed
        let accounts = all.filter { $0 == composed || $0.hasPrefix("\(composed):") }
        if accounts.isEmpty { throw UnknownAccount(account: name, known: all) }
        return Set(accounts)
    }
}
