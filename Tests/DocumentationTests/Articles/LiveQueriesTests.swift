// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

#if SQLite
import HeadraceSQLite
#endif

private final class Order: StoredEntity {
    static let entityName = "order"
    static var indexes: [EntityIndex<Order>] { [.isOpen] }

    let id: String
    var isOpen = true
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

extension EntityIndex<Order> {
    fileprivate static var isOpen: Self { EntityIndex("isOpen") { $0.isOpen } }
}

private final class Board: Sendable {
    let shown: AsyncStream<[String]>
    private let orders: AsyncStream<[String]>.Continuation

    init() {
        (shown, orders) = AsyncStream.makeStream()
    }

    func show(_ orders: [String]) {
        self.orders.yield(orders)
    }
}

private func showOpenOrders(of store: any ObservableStore, on board: Board) async throws {
    let query = store.observe { context in
        try await context.fetch(Order.self, where: [.equals(.isOpen, true)]).map(\.id)
    }
    for try await orders in query {
        board.show(orders)
    }
}

extension EntityStore {
    fileprivate func insert(_ orders: Order...) async throws {
        let context = EntityContext(self)
        for order in orders { context.insert(order) }
        try await context.commit([])
    }
}

@Suite(.timeLimit(.minutes(2))) struct LiveQueriesTests {
    @Test func theBoardShowsEachChangeOfTheOpenOrders() async throws {
        let store = try InMemoryStore(entities: [Order.self])
        try await store.insert(Order("1"))
        let board = Board()
        let showing = Task { try await showOpenOrders(of: store, on: board) }
        var shown = board.shown.makeAsyncIterator()
        #expect(await shown.next() == ["1"])

        try await store.insert(Order("2"))
        #expect(await shown.next() == ["1", "2"])
        try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store)).execute { context in
            try await context.find(Order.self, id: "1")?.isOpen = false
        }
        #expect(await shown.next() == ["2"])

        showing.cancel()
        await #expect(throws: CancellationError.self) { try await showing.value }
    }

    @Test func aSlowConsumerReceivesTheLastState() async throws {
        let store = try InMemoryStore(entities: [Order.self])
        var states = store.observe { try await $0.fetch(Order.self).count }.makeAsyncIterator()
        #expect(try await states.next() == 0)

        for number in 1...3 { try await store.insert(Order("\(number)")) }

        #expect(try await states.next() == 3)
    }

    #if SQLite
    @Test func pollingNoticesTheCommitsOfOtherStoresOnTheFile() async throws {
        try await withStoreFolder { folder in
            let store = try SQLiteStore(path: folder + "/orders.sqlite", entities: [Order.self])
            let other = try SQLiteStore(path: folder + "/orders.sqlite", entities: [Order.self])
            let clock = TestClock()
            let query = store.observe(polling: .seconds(1), clock: clock) { context in
                try await context.fetch(Order.self).count
            }
            let (counts, continuation) = AsyncStream<Int>.makeStream()
            let watching = Task {
                for try await count in query { continuation.yield(count) }
            }
            var iterator = counts.makeAsyncIterator()
            #expect(await iterator.next() == 0)

            try await other.insert(Order("1"))
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))

            #expect(await iterator.next() == 1)
            watching.cancel()
            await #expect(throws: CancellationError.self) { try await watching.value }
        }
    }
    #endif
}
