//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(Projections.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        projections = scope.resolve()
    }

    /// Handles the query.
    ///
    /// - Throws: `ProjectionError` with the code `building` until all transactions have been read once.
    public func handle(_ query: GetNetWorth) async throws -> [GetNetWorth.Month] {
        // The keys of the rows begin with the month.
        let changes = try await projections.read(MonthlyChange.projection) { rows in try await rows.fetch() }
        var last: [String: GetNetWorth.Month] = [:]
        return try changes.map { change in
            let assets = try (last[change.commodity]?.assets ?? .zero).adding(change.assets)
            let liabilities = try (last[change.commodity]?.liabilities ?? .zero).adding(change.liabilities)
            let month = GetNetWorth.Month(
                month: change.month,
                commodity: change.commodity,
                assets: assets,
                liabilities: liabilities,
                net: try assets.adding(liabilities)
            )
            last[change.commodity] = month
            return month
        }
    }
}
