// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceServices
import HeadraceTesting
import Testing

private struct CheckOut: Action { let orderID: String }
private struct OrderWasPlaced: Action { let orderID: String }

private struct PlaceOrder: CQDCommand, Equatable { let orderID: String }

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "confluence-order-placed"
    var orderID: String
}

private final class Order: StoredEntity {
    static let entityName = "confluence-order"

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

private struct PlaceOrderHandler: HandlesCommand {
    let store: InMemoryStore

    func handle(_ command: PlaceOrder) async throws {
        let context = EntityContext(store)
        try await UnitOfWork(delegator: RecordingDelegator(), context: context).execute { context in
            let order = Order(id: command.orderID)
            order.raiseEvent(OrderPlaced(orderID: order.id))
            context.insert(order)
        }
    }
}

/// The state of the presentation layer, a substitute for a station.
@MainActor
private final class Board {
    private(set) var placed: [String] = []
    private var watcher: CheckedContinuation<Void, Never>?

    func show(_ orderID: String) {
        placed.append(orderID)
        watcher?.resume()
        watcher = nil
    }

    func firstOrder() async {
        if placed.isEmpty { await withCheckedContinuation { watcher = $0 } }
    }
}

/// A service tree together with commands and domain events.
@Suite(.timeLimit(.minutes(2))) struct ServicesConfluenceTests {
    @MainActor
    @Test func anActionLeadsToACommandItsEventToAnActionAndThatToTheShownState() async throws {
        let store = try InMemoryStore(entities: [Order.self])
        let board = Board()
        let placing = PlaceOrderHandler(store: store)
        let clock = TestClock()

        let cluster = try await Bootstrap {
            Group {}
                .dispatch(on: CheckOut.self) {
                    PlaceOrder(orderID: $0.orderID)
                } with: {
                    try await placing.handle($0)
                }
            Group {}
                .observe(on: OrderWasPlaced.self) { @MainActor action in board.show(action.orderID) }
                .emit(
                    using: ActionFeed(after: 0, on: clock) { position in
                        try await store.events(after: position, limit: 100)
                    } position: {
                        $0.position
                    } action: { record -> OrderWasPlaced? in
                        guard record.event.name == OrderPlaced.eventName else { return nil }
                        let placed = try? JSONDecoder().decode(OrderPlaced.self, from: record.event.json)
                        return placed.map { OrderWasPlaced(orderID: $0.orderID) }
                    }
                )
        }
        // The feed has read the empty log, and waits.
        await clock.waitForSleepers(1)
        try await cluster.send(action: CheckOut(orderID: "7"))
        clock.advance(by: .seconds(1))
        await board.firstOrder()

        #expect(board.placed == ["7"])
    }
}
