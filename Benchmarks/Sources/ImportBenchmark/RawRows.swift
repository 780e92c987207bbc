// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Headrace
import LedgerApplication

/// The rows of an import, to insert them again with GRDB alone.
struct RawRows {
    private struct Insertion {
        let sql: String
        let arguments: StatementArguments
    }

    /// All insertions, in the order in which the store makes them.
    private let all: [Insertion]

    /// The insertions by transaction of the ledger.
    ///
    /// The last group has the accounts and all other rows.
    private let groups: [[Insertion]]

    /// Reads the rows of the file `database`.
    init(of database: URL) throws {
        let queue = try DatabaseQueue(path: database.path(percentEncoded: false))
        let (entities, entries, events, deliveries) = try queue.read { database in
            (
                try Row.fetchAll(database, sql: "SELECT * FROM headrace_entity ORDER BY rowid"),
                // Two kinds may have the same key.
                try Row.fetchAll(
                    database,
                    sql: """
                        SELECT index_entry.* FROM headrace_index_entry AS index_entry
                        JOIN headrace_entity_index AS entity_index ON entity_index.id = index_id
                        JOIN headrace_entity AS entity
                        ON entity.kind = entity_index.kind AND entity.key = index_entry.key
                        ORDER BY entity.rowid, index_id
                        """
                ),
                try Row.fetchAll(
                    database,
                    sql: """
                        SELECT id, name, version, stream_kind, stream_key, recorded_at, document, origin
                        FROM headrace_event ORDER BY position
                        """
                ),
                try ["subscription", "lane", "delivery"].map { table in
                    (table, try Row.fetchAll(database, sql: "SELECT * FROM headrace_\(table)"))
                }
            )
        }
        all = ([("entity", entities), ("index_entry", entries), ("event", events)] + deliveries).flatMap {
            table, rows in
            rows.map { Self.insertion(of: $0, into: table) }
        }

        let posted = Set(events.filter { $0["name"] == TransactionPosted.eventName }.map { $0["stream_key"] as String })
        var groups: [String: [Insertion]] = [:]
        for (table, rows, key) in [
            ("entity", entities, "key"), ("index_entry", entries, "key"), ("event", events, "stream_key"),
        ] {
            for row in rows {
                let key: String = row[key]
                groups[posted.contains(key) ? key : "", default: []].append(Self.insertion(of: row, into: table))
            }
        }
        for (table, rows) in deliveries {
            for row in rows { groups["", default: []].append(Self.insertion(of: row, into: table)) }
        }
        // The keys are UUIDs of version 7, so their order is the order of posting.
        self.groups = posted.sorted().compactMap { groups[$0] } + [groups[""] ?? []]
    }

    private static func insertion(of row: Row, into table: String) -> Insertion {
        let columns = row.columnNames.joined(separator: ", ")
        let places = row.columnNames.map { _ in "?" }.joined(separator: ", ")
        return Insertion(
            sql: "INSERT INTO headrace_\(table) (\(columns)) VALUES (\(places))",
            arguments: StatementArguments(row.databaseValues)
        )
    }

    /// Returns the time to insert all rows into the new file `database` in one transaction.
    func insertAtOnce(into database: URL) throws -> Time {
        try Self.time(of: [all], into: database)
    }

    /// Returns the time to insert all rows into the new file `database`, with one SQLite transaction for each
    /// transaction of the ledger.
    func insertOneByOne(into database: URL) throws -> Time {
        try Self.time(of: groups, into: database)
    }

    private static func time(of groups: [[Insertion]], into database: URL) throws -> Time {
        let path = database.path(percentEncoded: false)
        // Creates the tables, with the same IDs of kinds and indexes as in the original file.
        try SQLiteStore(path: path, entities: LedgerComposition.entities).close()
        let pool = try DatabasePool(path: path)
        defer { try? pool.close() }
        return try pool.writeWithoutTransaction { database in
            // The store does the same: GRDB sets its writer to NORMAL.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            return try Time.measure {
                for group in groups {
                    try database.inTransaction(.immediate) {
                        for insertion in group {
                            try database.cachedStatement(sql: insertion.sql).execute(arguments: insertion.arguments)
                        }
                        return .commit
                    }
                }
            }
        }
    }
}
