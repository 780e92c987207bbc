// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
import LedgerBooks

/// A query for all standing orders, in the order of their identifiers.
///
/// Identifiers of version 7 begin with the time, so orders with such identifiers are in the order of their creation.
public struct GetStandingOrders: CQDQuery {
    /// A standing order.
    public struct Order: Sendable, Hashable {
        /// The identifier.
        public let id: UUID

        /// The description of its transaction.
        public let description: String

        /// Number of payments.
        public let count: Int

        /// Number of payments that were made.
        public let paidCount: Int

        /// The state.
        public let state: StandingOrder.State

        /// Why the last payment wasn't made; `nil` if it was made.
        public let refusal: String?
    }

    /// The standing orders.
    public typealias Value = [Order]

    /// Creates the query.
    public init() {}
}

/// Handles ``GetStandingOrders``.
public final class GetStandingOrdersHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetStandingOrders) async throws -> [GetStandingOrders.Order] {
        try await context.fetch(StandingOrder.self).map { order in
            GetStandingOrders.Order(
                id: order.id,
                description: order.draft.description,
                count: order.count,
                paidCount: order.paidCount,
                state: order.state,
                refusal: order.refusal
            )
        }
    }
}
