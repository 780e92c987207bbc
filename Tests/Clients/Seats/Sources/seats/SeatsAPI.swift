// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceHummingbird
import HeadraceInspector
import Hummingbird

func makeRouter(
    container: Container,
    inspector: Inspector,
    announce: (String) -> Void = { print("Inspector: http://127.0.0.1:8080\($0)") }
) -> Router<BasicRequestContext> {
    var requests = RequestMiddleware<BasicRequestContext>.Configuration()
    requests.observers = [inspector.observer]
    requests.problems.add(SeatRefusal.self) { Problem(.conflict, code: "refused", $0.reason) }

    let router = Router()
    router.mountInspector(inspector, announce: announce)
    router.health(HealthChecks(store: container.resolve(), relay: container.resolve()))
    router.addMiddleware {
        RequestMiddleware(requests)
        IdempotencyKeyMiddleware()
    }
    let messages = router.messages(of: container, problems: requests.problems)
    messages.post("seats/{seat}/reservation", command: ReserveSeat.self)
    messages.post("seats/{seat}/confirmation", command: ConfirmSeat.self)
    messages.get("seats", query: GetSeats.self)
    return router
}
