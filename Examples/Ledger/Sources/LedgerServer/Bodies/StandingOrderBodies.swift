// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceHummingbird
import Hummingbird
import LedgerApplication

/// The body of `PUT /api/standing-orders/ID`, with the identifier in the path.
struct StandingOrderRequest: Decodable, Sendable {
    let id: String
    let transaction: TransactionRequest

    /// Number of payments.
    let count: Int

    /// Number of days between two payments.
    let days: Int

    /// Returns the command.
    ///
    /// - Throws: `Problem`.
    func command() throws -> PlaceStandingOrder {
        let id = try UUID(path: id, of: "standing order")
        guard (1...1_000).contains(count) else {
            throw Problem.invalid("invalidCount", "The number of payments must be from 1 to 1000.").about("count")
        }
        guard (1...3_660).contains(days) else {
            throw Problem.invalid("invalidDays", "The number of days between two payments must be from 1 to 3660.")
                .about("days")
        }
        let draft = try transaction.draft()
        return PlaceStandingOrder(draft, count: count, every: .seconds(days * 86_400), id: id)
    }
}

/// The response to `GET /api/standing-orders`.
struct StandingOrdersResponse: ResponseCodable, Equatable {
    struct Order: Codable, Equatable {
        let id: UUID
        let description: String
        let count: Int
        let paid: Int
        let state: String
        let refusal: String?
    }

    let orders: [Order]

    init(_ orders: [GetStandingOrders.Order]) {
        self.orders = orders.map { order in
            Order(
                id: order.id,
                description: order.description,
                count: order.count,
                paid: order.paidCount,
                state: order.state.rawValue,
                refusal: order.refusal
            )
        }
    }
}
#endif
