// SPDX-License-Identifier: Apache-2.0

#if Server
import Headrace
import HeadraceHummingbird
import HeadraceStations
import HeadraceStorage
import Hummingbird
import LedgerApplication

extension RouterMethods<LedgerRequestContext> {
    /// Adds the route for the event stream of the page.
    func addEvents(of station: ActorStation<PageState, PageAction>, streams: Permits, limits: LedgerServerLimits) {
        on("/api/events", method: .get) { reader in
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
        }
    }

    /// Adds the route for the health of the server.
    func addHealth(of dispatcher: any CommandQueryDispatcher, in store: any DeliveryStore) {
        on("/api/health", method: .get) { reader in
            try reader.requireParameters()
            let statistics = try await store.deliveryStatistics()
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
        }
    }
}
#endif
