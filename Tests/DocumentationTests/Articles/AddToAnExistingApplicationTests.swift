// SPDX-License-Identifier: Apache-2.0

#if Macros && SQLite
import Foundation
import GRDB
import Headrace
import HeadraceDomain
import HeadraceMacros
#if Postgres
import HeadracePostgres
#endif
import HeadraceProcesses
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

// MARK: The application

/// The program has its own migrations.
private var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("shop") { database in
        try database.execute(
            sql: """
                CREATE TABLE purchase (
                    id INTEGER PRIMARY KEY, customer TEXT NOT NULL, item TEXT NOT NULL,
                    shipped INTEGER NOT NULL DEFAULT 0, paid INTEGER NOT NULL DEFAULT 0
                );
                CREATE TABLE sales (item TEXT PRIMARY KEY, count INTEGER NOT NULL);
                """
        )
    }
    return migrator
}

private struct Mailer: Sendable {
    let send: @Sendable (_ text: String, _ customer: String, _ key: UUID?) async throws -> Void
}

// MARK: The examples

private func openShop(_ path: String) throws -> (DatabasePool, SQLiteStore) {
    let pool = try DatabasePool(path: path)
    try migrator.migrate(pool)  // your migrations, as before
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return (pool, try SQLiteStore(on: pool))
}

private struct OrderPlaced: DurableDomainEvent {
    static let eventName = "order-placed"
    var order: Int64
    var customer: String
    var item: String
}

private func order(
    _ item: String,
    for customer: String,
    in pool: DatabasePool,
    _ store: SQLiteStore
) async throws {
    try await pool.write { database in
        try database.execute(
            sql: "INSERT INTO purchase (customer, item) VALUES (?, ?)",
            arguments: [customer, item]
        )
        let id = database.lastInsertedRowID
        try store.raise(
            OrderPlaced(order: id, customer: customer, item: item),
            for: EntityReference(kind: "purchase", key: "\(id)"),
            in: database
        )
    }
}

@Resolvable
private final class SendConfirmation: HandlesDurableDomainEvent {
    static let subscriptionName = "confirmations"

    private let mailer: Mailer

    func handle(_ event: OrderPlaced) async throws {
        let key = DeliveryContext.current?.messageID
        try await mailer.send("Thank you for your order: \(event.item)", event.customer, key)
    }
}

@Resolvable
private final class CountSale: HandlesDurableDomainEvent {
    static let subscriptionName = "sales"

    private let context: EntityContext

    func handle(_ event: OrderPlaced) async throws {
        context.perform { database in
            try database.execute(
                sql: """
                    INSERT INTO sales VALUES (?, 1)
                    ON CONFLICT (item) DO UPDATE SET count = count + 1
                    """,
                arguments: [event.item]
            )
        }
    }
}

private func makeContainer(store: SQLiteStore, mailer: Mailer) throws -> Container {
    let builder = ContainerBuilder()
    builder.singleton { mailer }
    builder.domain(store: store, handlers: [SendConfirmation.self, CountSale.self])
    builder.commandQueryDispatch().standard(commandHandlers: [AskForReviewHandler.self])
    try builder.validate(.strict)
    return builder.build()
}

private struct AskForReview: CQDCommand, DurableCommand {
    static let commandName = "ask-for-review"
    let customer: String
}

private func ship(
    _ order: Int64,
    to customer: String,
    in pool: DatabasePool,
    _ store: SQLiteStore
) async throws {
    let inAWeek = Date(timeIntervalSinceNow: 7 * 86_400)
    try await pool.write { database in
        try database.execute(
            sql: "UPDATE purchase SET shipped = 1 WHERE id = ?",
            arguments: [order]
        )
        try store.schedule(AskForReview(customer: customer), at: inAWeek, in: database)
    }
}

@DomainEntity
private final class BonusCard: StoredEntity {
    static let entityName = "bonus-card"

    let id: String
    private(set) var points = 0

    init(id: String) {
        self.id = id
    }

    func addPoint() {
        points += 1
    }
}

private func pay(
    _ order: Int64,
    of customer: String,
    in pool: DatabasePool,
    _ store: SQLiteStore
) async throws {
    try await pool.write { database in
        try database.execute(sql: "UPDATE purchase SET paid = 1 WHERE id = ?", arguments: [order])
        try store.execute(in: database) { context in
            let card =
                try context.find(BonusCard.self, id: customer, in: database) ?? BonusCard(id: customer)
            context.insert(card)
            card.addPoint()
        }
    }
}

private func removeStore(from pool: DatabasePool) throws {
    try pool.write { database in
        try database.execute(sql: "PRAGMA defer_foreign_keys = ON")
        let tables = try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'headrace_*'"
        )
        for table in tables { try database.drop(table: table) }
    }
}

#if Postgres
private func statement(
    placing order: Int64,
    _ item: String,
    for customer: String,
    by store: PostgresStore
) throws -> PostgresStatement {
    try store.statement(
        raising: OrderPlaced(order: order, customer: customer, item: item),
        for: EntityReference(kind: "purchase", key: "\(order)")
    )
}
#endif

// MARK: The tests

@Resolvable
private final class AskForReviewHandler: HandlesCommand {
    private let mailer: Mailer

    func handle(_ command: AskForReview) async throws {
        try await mailer.send("How was it?", command.customer, DeliveryContext.current?.messageID)
    }
}

private struct Regret: Error {}

@Suite(.timeLimit(.minutes(2))) struct AddToAnExistingApplicationTests {
    private let notes = Notes()

    /// Runs `body` with an application, its store, and a running relay.
    private func withShop(
        _ body: nonisolated(nonsending) (DatabasePool, SQLiteStore, TestRelay) async throws -> Void
    ) async throws {
        try await withStoreFolder { folder in
            let (pool, store) = try openShop(folder + "/shop.sqlite")
            let mailer = Mailer { [notes] text, customer, key in
                notes.note("\(customer): \(text)\(key == nil ? ", without a key" : "")")
            }
            let container = try makeContainer(store: store, mailer: mailer)
            try await TestRelay.run(container.resolve()) { try await body(pool, store, $0) }
            try store.close()
            try pool.close()
        }
    }

    private func sales(in pool: DatabasePool) throws -> [String: Int] {
        let rows = try pool.read { try Row.fetchAll($0, sql: "SELECT item, count FROM sales") }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["item"], $0["count"]) })
    }

    @Test func anOrderIsConfirmedAndCounted() async throws {
        try await withShop { pool, store, relay in
            try await order("tea", for: "Ada", in: pool, store)
            try await order("tea", for: "Bea", in: pool, store)
            try await relay.untilIdle()

            #expect(notes.all.sorted() == ["Ada", "Bea"].map { "\($0): Thank you for your order: tea" })
            #expect(try sales(in: pool) == ["tea": 2])
            #expect(try await store.deliveryStatistics().pendingCount == 0)
        }
    }

    @Test func anOrderThatIsRolledBackHasNoEvent() async throws {
        try await withShop { pool, store, relay in
            await #expect(throws: Regret.self) {
                try await pool.write { database in
                    try store.raise(OrderPlaced(order: 1, customer: "Ada", item: "tea"), in: database)
                    throw Regret()
                }
            }
            try await relay.untilIdle()

            #expect(notes.all.isEmpty)
            #expect(try await store.deliveryStatistics().lastPosition == 0)
        }
    }

    @Test func aReviewIsAskedForAfterAWeek() async throws {
        try await withShop { pool, store, relay in
            try await ship(1, to: "Ada", in: pool, store)
            try await relay.untilIdle()
            #expect(notes.all.isEmpty)

            let aWeekAndADay = Date(timeIntervalSinceNow: 8 * 86_400).timeIntervalSince(relay.clock.date)
            try await relay.advance(by: .seconds(aWeekAndADay))
            #expect(notes.all == ["Ada: How was it?"])
        }
    }

    @Test func anEntityIsAddedLater() async throws {
        try await withStoreFolder { folder in
            let (pool, first) = try openShop(folder + "/shop.sqlite")
            try first.close()
            let store = try SQLiteStore(on: pool, entities: [BonusCard.self])
            try await pay(1, of: "Ada", in: pool, store)
            try await pay(2, of: "Ada", in: pool, store)

            #expect(try await EntityContext(store).find(BonusCard.self, id: "Ada")?.points == 2)
        }
    }

    #if Postgres
    @Test(.enabled(if: ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"] != nil, "It needs a server."))
    func theStatementHasTheNameAndTheSourceOfTheEvent() async throws {
        let url = try #require(ProcessInfo.processInfo.environment["HEADRACE_POSTGRES_URL"])
        var configuration = PostgresStore.Configuration()
        configuration.schema = "statement \(UUID())"
        let store = try await PostgresStore(url: url, entities: [], configuration: configuration)

        let raising = try statement(placing: 1, "tea", for: "Ada", by: store)
        try store.close()

        #expect(raising.sql.contains(".raise("))
        #expect(raising.arguments.first == .text("order-placed"))
        #expect(raising.arguments.contains(.text("purchase")))
        #expect(raising.arguments.contains(.text("1")))
    }
    #endif

    @Test func theTablesOfTheProgramRemainWithoutTheStore() async throws {
        try await withStoreFolder { folder in
            let (pool, store) = try openShop(folder + "/shop.sqlite")
            let mailer = Mailer { _, _, _ in }
            let container = try makeContainer(store: store, mailer: mailer)
            try await TestRelay.run(container.resolve()) { relay in
                try await order("tea", for: "Ada", in: pool, store)
                try await ship(1, to: "Ada", in: pool, store)
                try await relay.untilIdle()
            }
            try store.close()
            try removeStore(from: pool)

            let names = try await pool.read { database in
                try String.fetchAll(
                    database,
                    sql: """
                        SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name
                        """
                )
            }
            #expect(names == ["grdb_migrations", "purchase", "sales"])
            #expect(try sales(in: pool) == ["tea": 1])
            let isMigrated = try await pool.read { try migrator.hasCompletedMigrations($0) }
            #expect(isMigrated)
            #expect(throws: Never.self) { _ = try SQLiteStore(on: pool) }
        }
    }
}
#endif
