// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import Testing

private final class Account: StoredEntity {
    static let entityName = "account"

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }
}

private final class Transaction: StoredEntity {
    static let entityName = "transaction"

    let id: UUID
    var raisedEvents = RaisedEvents()
}

private final class Order: StoredEntity {
    static let entityName = "order"
    static var indexes: [EntityIndex<Order>] { [.isOpen] }

    let id: UUID
    var isOpen = true
    var raisedEvents = RaisedEvents()

    init() {
        id = .version7()
    }
}

extension EntityIndex<Order> {
    fileprivate static var isOpen: Self { EntityIndex("isOpen") { $0.isOpen } }
}

private struct Purchase: Codable, PersistableRecord {
    let id: Int
    let customer: String
}

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var order: Int
}

private final class Customer: StoredEntity {
    static let entityName = "customer"

    let id: String
    private(set) var payments = 0
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }

    func notePayment() {
        payments += 1
    }
}

@Suite(.timeLimit(.minutes(2))) struct SQLiteExamples {
    private let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())

    private func withFolder(_ body: nonisolated(nonsending) (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "headrace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path(percentEncoded: false))
    }

    @Test func aReopenedStoreHasItsData() async throws {
        try await withFolder { folder in
            do {
                let store = try SQLiteStore(path: folder + "/books.sqlite", entities: [Account.self, Transaction.self])
                let context = EntityContext(store)
                context.insert(Account(id: "cash"))
                try await context.commit([])
            }

            let store = try SQLiteStore(path: folder + "/books.sqlite", entities: [Account.self, Transaction.self])
            #expect(try await EntityContext(store).find(Account.self, id: "cash") != nil)
        }
    }

    @Test func plainSQLJoinsTheTransaction() async throws {
        try await withFolder { folder in
            let store = try SQLiteStore(path: folder + "/books.sqlite", entities: [Account.self])
            let amount = 300
            func execute(_ work: nonisolated(nonsending) (EntityContext) async throws -> Void) async throws {
                try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute(work)
            }
            try await execute { context in
                context.perform { database in
                    try database.execute(
                        sql: "CREATE TABLE daily_total (cents INTEGER); INSERT INTO daily_total VALUES (4)")
                }
            }

            try await execute { context in
                context.perform { database in
                    try database.execute(sql: "UPDATE daily_total SET cents = cents + ?", arguments: [amount])
                }
            }

            let database = try DatabaseQueue(path: folder + "/books.sqlite")
            #expect(try await database.read { try Int.fetchOne($0, sql: "SELECT cents FROM daily_total") } == 304)
        }
    }

    private func openShop(in folder: String) throws -> (pool: DatabasePool, store: SQLiteStore) {
        let pool = try DatabasePool(path: folder + "/shop.sqlite")
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let store = try SQLiteStore(on: pool)
        return (pool, store)
    }

    @Test func aProgramRaisesEventsInItsOwnTransactions() async throws {
        try await withFolder { folder in
            let (pool, store) = try openShop(in: folder)
            try await pool.write { database in
                try database.execute(sql: "CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer TEXT)")
            }
            let relay = Relay(store: store, registrar: registrar)
            let order = Purchase(id: 7, customer: "Ada")
            try await pool.write { database in
                try order.insert(database)
                try store.raise(OrderPlaced(order: order.id), in: database)
            }
            #expect(try await store.events(after: 0, limit: 9).map(\.event.name) == ["order-placed"])
            withExtendedLifetime(relay) {}
        }
    }

    @Test func aProgramChangesEntitiesInItsOwnTransactions() async throws {
        try await withFolder { folder in
            let pool = try openShop(in: folder).pool
            let store = try SQLiteStore(on: pool, entities: [Customer.self])
            let (invoice, customer) = (1, "Ada")
            try await pool.write { database in
                try database.execute(
                    sql:
                        "CREATE TABLE invoice (id INTEGER PRIMARY KEY, paid INTEGER); INSERT INTO invoice VALUES (1, 0)"
                )
                try store.execute(in: database) { $0.insert(Customer(id: customer)) }
            }

            try await pool.write { database in
                try database.execute(sql: "UPDATE invoice SET paid = 1 WHERE id = ?", arguments: [invoice])
                try store.execute(in: database) { context in
                    try context.find(Customer.self, id: customer, in: database)?.notePayment()
                }
            }
            #expect(try await EntityContext(store).find(Customer.self, id: customer)?.payments == 1)
        }
    }

    @Test func aLiveQueryReturnsEachNewState() async throws {
        try await withFolder { folder in
            let store = try SQLiteStore(path: folder + "/books.sqlite", entities: [Order.self])
            let (lines, page) = AsyncStream<String>.makeStream()
            let watching = Task { try await watch(store) { page.yield($0) } }
            var iterator = lines.makeAsyncIterator()
            #expect(await iterator.next() == "0 orders")

            let context = EntityContext(store)
            context.insert(Order())
            try await context.commit([])
            #expect(await iterator.next() == "1 orders")

            watching.cancel()
            await #expect(throws: CancellationError.self) { try await watching.value }
        }
    }
}

private func watch(_ store: SQLiteStore, print: @Sendable (String) -> Void) async throws {
    for try await open in store.observe({ try await $0.fetch(Order.self, where: [.equals(.isOpen, true)]) }) {
        print("\(open.count) orders")
    }
}
#endif
