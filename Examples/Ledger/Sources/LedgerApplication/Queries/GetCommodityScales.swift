//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
import LedgerBooks

/// Asks how many digits after the point the amounts of each commodity have at most, anywhere in the books.
public struct GetCommodityScales: CQDQuery {
    /// The digits, by commodity.
    public typealias Value = [String: Int]

    /// Creates the query.
    public init() {}
}

/// Answers from the balances: a sum has as many digits as the longest of its parts.
public final class GetCommodityScalesHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves its dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Answers; see the query.
    public func handle(_ query: GetCommodityScales) async throws -> [String: Int] {
        var scales: [String: Int] = [:]
        for account in try await context.fetch(Account.self) {
            for (commodity, balance) in account.balances {
                scales[commodity] = max(scales[commodity] ?? 0, balance.scale)
            }
        }
        return scales
    }
}
