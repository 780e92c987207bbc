// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// The tables of the store, and their migrations.
enum StoreSchema {
    /// Application ID of a Headrace file: "HDRC" in ASCII.
    static let applicationID = 0x4844_5243

    /// Refuses the file of another program before a pool opens it, because a pool would switch the file to write-ahead
    /// mode.
    static func validateApplicationID(path: String, configuration: Configuration) throws {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size > 0 else { return }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        _ = try queue.read { try isOurs($0, path: path) }
    }

    /// Migrates the file to the current tables in the open transaction.
    ///
    /// Refuses a file of another program or of a later version.
    static func prepare(_ database: Database, path: String, faults: (@Sendable (FaultPoint) -> Void)?) throws {
        if try !isOurs(database, path: path) {
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
        }
        try database.execute(sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        if try !knowsTables(in: database) {
            throw newerSchema(path, "it has tables that this version of Headrace doesn't know")
        }
        let applied = try appliedMigrations(in: database)
        for migration in migrations where !applied.contains(migration.identifier) {
            try database.execute(sql: migration.sql)
            try database.execute(
                sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)",
                arguments: [migration.identifier]
            )
            faults?(.inMigration)
        }
    }

    /// Whether this version knows all migrations that were applied to the file.
    static func knowsTables(in database: Database) throws -> Bool {
        try appliedMigrations(in: database).isSubset(of: migrations.map(\.identifier))
    }

    /// Returns the migrations that were applied to the file.
    static func appliedMigrations(in database: Database) throws -> Set<String> {
        try String.fetchSet(database, sql: "SELECT identifier FROM grdb_migrations")
    }

    /// Whether the file has Headrace's application ID; `false` if the file is empty.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unusable` if the file belongs to another program.
    private static func isOurs(_ database: Database, path: String) throws -> Bool {
        let mark = try Int.fetchOne(database, sql: "PRAGMA application_id")
        if mark == applicationID { return true }
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        if tables > 0 || mark != 0 {
            throw StoreError(
                code: .unusable,
                message: """
                    '\(path)' is the database of another program. Nothing in it was changed. To fix, name \
                    another file.
                    """
            )
        }
        return false
    }

    static func newerSchema(_ path: String, _ what: String) -> StoreError {
        StoreError(
            code: .newerSchema,
            message: """
                '\(path)' was written by a later version: \(what). Nothing in it was changed. To fix, run the \
                version of the program that wrote it, or a later one.
                """
        )
    }

    /// The migrations to the current tables, each applied once, in this order.
    static let migrations: [(identifier: String, sql: String)] = [
        (
            "1 entities and events",
            """
            CREATE TABLE entity_kind (
                id INTEGER PRIMARY KEY,
                name TEXT NOT NULL UNIQUE,
                schema_version INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE entity (
                kind INTEGER NOT NULL REFERENCES entity_kind(id),
                key TEXT NOT NULL,
                version INTEGER NOT NULL,
                schema_version INTEGER NOT NULL,
                document TEXT NOT NULL,
                PRIMARY KEY (kind, key)
            ) STRICT;

            -- A number is never used again: another process may still hold one of an index that was dropped.
            CREATE TABLE entity_index (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                kind INTEGER NOT NULL REFERENCES entity_kind(id),
                name TEXT NOT NULL,
                is_unique INTEGER NOT NULL,
                UNIQUE (kind, name)
            ) STRICT;

            CREATE TABLE index_entry (
                index_id INTEGER NOT NULL REFERENCES entity_index(id),
                value ANY NOT NULL,
                key TEXT NOT NULL,
                PRIMARY KEY (index_id, value, key)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE event (
                position INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL,
                name TEXT NOT NULL,
                version INTEGER NOT NULL,
                stream_kind TEXT,
                stream_key TEXT,
                recorded_at INTEGER NOT NULL, -- milliseconds since 1970
                document TEXT NOT NULL
            ) STRICT;
            """
        ),
        ("2 deliveries", DeliverySchema.sql),
        (
            "3 indexes of one value",
            // Existing indexes are built again.
            "ALTER TABLE entity_index ADD COLUMN holds_one_value INTEGER NOT NULL DEFAULT 0"
        ),
        ("4 clocks and unknown messages", DeliverySchema.clocksAndUnknownMessages),
        ("5 pruned events", DeliverySchema.prunedEvents),
        // When the subscription was paused; NULL if it isn't.
        ("6 paused subscriptions", "ALTER TABLE subscription ADD COLUMN paused_at INTEGER"),
        // The error of the last attempt at the first delivery.
        ("7 failures of attempts", "ALTER TABLE lane ADD COLUMN last_failure TEXT"),
        // The JSON that an operator has corrected, which replaces the stored document in one delivery.
        (
            "8 corrected dead letters",
            "ALTER TABLE lane ADD COLUMN correction TEXT; ALTER TABLE dead_letter ADD COLUMN correction TEXT"
        ),
        ("9 replays in parts", DeliverySchema.replaysInParts),
        // Documents whose entries in an index are out of date, because their last writer doesn't declare the index.
        (
            "10 unindexed documents",
            """
            CREATE TABLE IF NOT EXISTS unindexed (
                index_id INTEGER NOT NULL,
                key TEXT NOT NULL,
                PRIMARY KEY (index_id, key)
            ) STRICT, WITHOUT ROWID
            """
        ),
    ]
}
#endif
