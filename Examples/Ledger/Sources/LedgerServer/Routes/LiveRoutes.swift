//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import Hummingbird
import LedgerApplication

/// The routes to what the server itself knows.
struct LiveRoutes: Sendable {
    let station: ActorStation<PageState, PageAction>
    let container: Container
    let store: any DeliveryStore
    let streams: Slots
    let limits: LedgerServer.Limits

    var routes: [LedgerRoute] {
        [
            .get("/api/events") { reader in
                let slot = try streams.take(
                    orThrow: APIError(
                        .serviceUnavailable,
                        "tooManyStreams",
                        "As many event streams are open as may be. Close another one.",
                        retryAfter: 10
                    )
                )
                return EventStream(station: station, limits: limits, slot: slot).response(to: reader.request.body)
            },
            .get("/api/health") { _ in
                let statistics = try await store.deliveryStatistics()
                let dispatcher: any CommandQueryDispatcher = container.resolve()
                let accounts = try await dispatcher.dispatch(GetAccountStates())
                return try JSONAnswer(
                    HealthWire(
                        status: "ok",
                        transactions: accounts.reduce(0) { $0 + $1.transactionCount },
                        pendingDeliveries: statistics.pendingCount,
                        deadLetters: statistics.deadLetterCount
                    )
                )
                .response()
            },
        ]
    }
}
