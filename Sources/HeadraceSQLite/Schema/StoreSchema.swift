//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// The tables of the store, and how a file comes to have them.
enum StoreSchema {
    /// Marks a file as ours: "HDRC" in ASCII.
    static let applicationID = 0x4844_5243

    /// Refuses the file of another program, before a pool opens it: that would put it into write-ahead mode.
    static func validateApplicationID(path: String, configuration: Configuration) throws {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size > 0 else { return }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        _ = try queue.read { try isOurs($0, path: path) }
    }

    /// Brings the file to the current tables, in the transaction that is open; refuses a file of another program, or of a
    /// later version.
    static func prepare(_ database: Database, path: String, faults: (@Sendable (FaultPoint) -> Void)?) throws {
        if try !isOurs(database, path: path) {
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
        }
        try database.execute(sql: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        if try !knowsTables(in: database) {
            throw newerSchema(path, "it has tables that this version of Headrace does not know")
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

    /// Whether this version knows all migrations that the file has been through.
    static func knowsTables(in database: Database) throws -> Bool {
        try appliedMigrations(in: database).isSubset(of: migrations.map(\.identifier))
    }

    /// The migrations that the file has been through.
    static func appliedMigrations(in database: Database) throws -> Set<String> {
        try String.fetchSet(database, sql: "SELECT identifier FROM grdb_migrations")
    }

    /// Whether the file has our mark, or is empty and so free to take; throws where it is another program's.
    private static func isOurs(_ database: Database, path: String) throws -> Bool {
        let mark = try Int.fetchOne(database, sql: "PRAGMA application_id")
        if mark == applicationID { return true }
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        if tables > 0 || mark != 0 {
            throw StoreError(
                code: .unusable,
                message: """
                    '\(path)' is the database of another program; nothing in it was changed. To fix, name \
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

    /// How a file comes to have the current tables: all of these, in this order, each once.
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
            // Indexes that were made before are made again.
            "ALTER TABLE entity_index ADD COLUMN holds_one_value INTEGER NOT NULL DEFAULT 0"
        ),
        ("4 clocks and unknown messages", DeliverySchema.clocksAndUnknownMessages),
    ]
}
#endif
