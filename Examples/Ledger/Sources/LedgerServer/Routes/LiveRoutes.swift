// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceHummingbird
import HeadraceStations
import Hummingbird
import LedgerApplication

/// The routes for the event stream and the health of the server.
struct LiveRoutes: Sendable {
    let station: ActorStation<PageState, PageAction>
    let container: Container
    let store: any DeliveryStore
    let streams: Permits
    let limits: LedgerServerLimits

    var routes: [LedgerRoute] {
        [
            .get("/api/events") { reader in
                try reader.requireParameters()
                guard let permit = streams.tryAcquire() else {
                    throw Problem(
                        .serviceUnavailable,
                        code: "tooManyStreams",
                        "Too many event streams are open. To fix, close another event stream."
                    )
                    .retry(after: .seconds(10))
                }
                return Response.events(
                    EventStream(await station.states(limit: 1), limits: limits, permit: permit),
                    to: reader.request,
                    heartbeat: limits.heartbeat
                )
            },
            .get("/api/health") { reader in
                try reader.requireParameters()
                let statistics = try await store.deliveryStatistics()
                let dispatcher: any CommandQueryDispatcher = container.resolve()
                let accounts = try await dispatcher.dispatch(GetAccountStates())
                return try JSONAnswer(
                    HealthResponse(
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
