// SPDX-License-Identifier: Apache-2.0

import GRDB
import Headrace

/// The shop as it was, with its own connections, migrations, tables, and SQL.
///
/// The lines about the store and the container are new.
final class Shop: Sendable {
    let database: DatabasePool
    let store: SQLiteStore
    let container: Container

    init(path: String, mailer: any Mailer) throws {
        database = try DatabasePool(path: path)
        try Self.migrator.migrate(database)

        // A pool sets NORMAL, with which a power failure can take the last commits.
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        store = try SQLiteStore(on: database)
        container = try makeContainer(store: store, mailer: mailer, sales: .sqlite)
        // An event is stored with its handlers, which the relay knows, running or not.
        _ = container.resolve(Relay.self)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("shop") { database in
            try database.execute(
                sql: """
                    CREATE TABLE customer (name TEXT PRIMARY KEY);
                    CREATE TABLE purchase (
                        id INTEGER PRIMARY KEY, customer TEXT NOT NULL REFERENCES customer, item TEXT NOT NULL,
                        shipped INTEGER NOT NULL DEFAULT 0
                    );
                    CREATE TABLE sales (item TEXT PRIMARY KEY, count INTEGER NOT NULL);
                    """
            )
        }
        return migrator
    }

    func order(_ item: String, for customer: String) async throws -> Int64 {
        try await database.write { try self.order(item, for: customer, in: $0) }
    }

    func order(_ item: String, for customer: String, in database: Database) throws -> Int64 {
        try database.execute(sql: "INSERT OR IGNORE INTO customer (name) VALUES (?)", arguments: [customer])
        try database.execute(sql: "INSERT INTO purchase (customer, item) VALUES (?, ?)", arguments: [customer, item])
        let id = database.lastInsertedRowID
        let placed = OrderPlaced(order: id, customer: customer, item: item)
        try store.raise(placed, for: Self.source(id), in: database)
        return id
    }

    func ship(_ id: Int64) async throws {
        try await database.write { database in
            let waiting = "SELECT customer, item FROM purchase WHERE id = ? AND NOT shipped"
            guard let row = try Row.fetchOne(database, sql: waiting, arguments: [id]) else {
                throw Refusal(reason: "No order \(id) waits for its shipping.")
            }
            try database.execute(sql: "UPDATE purchase SET shipped = 1 WHERE id = ?", arguments: [id])
            let shipped = OrderShipped(order: id, customer: row["customer"], item: row["item"])
            try self.store.raise(shipped, for: Self.source(id), in: database)
        }
    }

    /// The events of one order are handled in their order.
    private static func source(_ id: Int64) -> EntityReference {
        EntityReference(kind: "purchase", key: "\(id)")
    }
}

struct Refusal: Error, Equatable {
    let reason: String
}
