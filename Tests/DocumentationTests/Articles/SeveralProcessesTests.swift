// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

private final class Order: StoredEntity {
    static let entityName = "order"

    let id: String
    var count = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }

    func add() {
        count += 1
        raiseEvent(ItemAdded(order: id))
    }
}

private struct ItemAdded: DurableDomainEvent {
    static let eventName = "item-added"
    let order: String
}

private struct PackItem: DurableDomainEventHandler {
    static let subscriptionName = "packing"

    static func handle(event: ItemAdded, resolver: any DependencyResolver) async throws {
        try resolver.require(DeliveryJournal.self).note("pack \(event.order)")
    }
}

@Suite(.timeLimit(.minutes(2))) struct SeveralProcessesTests {
    private let journal = DeliveryJournal()
    private let registrar: DomainEventHandlerRegistrar

    init() {
        let services = ServiceLocator()
        services.register(journal)
        registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(PackItem.self)
    }

    private func addItem(in store: SQLiteStore) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
            let order = try await context.find(Order.self, id: "7") ?? Order("7")
            context.insert(order)
            order.add()
        }
    }

    private func makeRelay(on store: SQLiteStore) -> Relay {
        Relay(store: store, registrar: registrar, configuration: .withLongLeases, relayObservers: [journal])
    }

    @Test func aWorkerDeliversTheEventsOfAServer() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/shop.sqlite"
            let (time, journal) = (VirtualTime(), journal)

            // The server
            let serverStore = try SQLiteStore(path: path, entities: [Order.self])

            // The worker
            let workerStore = try SQLiteStore(path: path, entities: [Order.self])
            let relay = Relay(
                store: workerStore,
                registrar: registrar,
                relayObservers: [journal],
                clock: time.clock,
                wallClock: time.date
            )
            try await withRelay(relay) {
                await time.clock.waitForSleepers(2)
                try await addItem(in: serverStore)
                #expect(journal.all == [])
                time.clock.advance(by: .seconds(1))
                await journal.wait("delivered")
            }

            #expect(journal.all == ["pack 7", "delivered to packing"])
        }
    }

    @Test func aProcessStoresNoDeliveryForAHandlerThatItDoesNotKnow() async throws {
        try await withStoreFolder { folder in
            let store = try SQLiteStore(path: folder + "/shop.sqlite", entities: [Order.self])
            let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())

            try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute { context in
                let order = Order("7")
                context.insert(order)
                order.add()
            }
            #expect(try await store.deliveryStatistics().pendingCount == 0)

            try await addItem(in: store)
            #expect(try await store.deliveryStatistics().pendingCount == 1)
        }
    }

    @Test func ofTwoProcessesThatChangeAnEntityOneRetries() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/shop.sqlite"
            let one = try SQLiteStore(path: path, entities: [Order.self])
            let other = try SQLiteStore(path: path, entities: [Order.self])
            try await addItem(in: one)

            let stale = EntityContext(one)
            let order = try await stale.find(Order.self, id: "7")
            try await addItem(in: other)
            order?.count += 1
            let error = await #expect(throws: StoreError.self) { try await stale.commit([]) }

            #expect(error?.code == .versionConflict)
            #expect(error?.isRetryable == true)
            #expect(try await EntityContext(one).find(Order.self, id: "7")?.count == 2)
        }
    }

    @Test func twoRelaysShareTheDeliveries() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/shop.sqlite"
            let one = try SQLiteStore(path: path, entities: [Order.self])
            let other = try SQLiteStore(path: path, entities: [Order.self])
            for _ in 1...5 { try await addItem(in: one) }

            try await withRelay(makeRelay(on: one)) {
                try await withRelay(makeRelay(on: other)) {
                    await journal.wait(for: 5, "delivered")
                }
            }

            #expect(journal.all.count { $0 == "pack 7" } == 5)
            #expect(try await one.deliveryStatistics().pendingCount == 0)
        }
    }
}
#endif
