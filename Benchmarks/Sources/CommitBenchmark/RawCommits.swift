// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HeadraceSQLite

/// Inserts the rows of a unit of work with GRDB alone.
enum RawCommits {
    /// Inserts `count` entities and their events, and awaits each transaction.
    ///
    /// - Returns: The number of entities per second.
    static func insert(awaiting count: Int, into path: String) async throws -> Double {
        let pool = try open(path)
        defer { try? pool.close() }
        let start = ContinuousClock.now
        for number in 0..<count {
            try await pool.write { database in try insert(number, into: database) }
        }
        return Double(count) / (start.duration(to: .now) / .seconds(1))
    }

    private static func open(_ path: String) throws -> DatabasePool {
        // Creates the tables.
        try SQLiteStore(path: path, entities: [Entry.self]).close()
        let pool = try DatabasePool(path: path)
        // The store does the same: GRDB sets its writer to NORMAL.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return pool
    }

    /// Inserts `count` entities and their events in transactions of `together`, in a loop on the writer thread.
    ///
    /// - Returns: The number of entities per second.
    static func insert(_ count: Int, together: Int, into path: String) throws -> Double {
        let pool = try open(path)
        defer { try? pool.close() }
        return try pool.writeWithoutTransaction { database in
            let start = ContinuousClock.now
            for first in stride(from: 0, to: count, by: together) {
                try database.inTransaction(.immediate) {
                    for number in first..<min(count, first + together) { try insert(number, into: database) }
                    return .commit
                }
            }
            return Double(count) / (start.duration(to: .now) / .seconds(1))
        }
    }

    private static func insert(_ number: Int, into database: Database) throws {
        try database.cachedStatement(
            sql: "INSERT INTO headrace_entity (kind, key, version, schema_version, document) VALUES (1, ?, 1, 1, ?)"
        ).execute(arguments: ["\(number)", #"{"id":\#(number),"text":"\#(Entry.text)"}"#])
        try database.cachedStatement(
            sql: """
                INSERT INTO headrace_event (id, name, version, stream_kind, stream_key, recorded_at, document)
                VALUES (?, 'entry-made', 1, 'entry', ?, ?, ?)
                """
        ).execute(
            arguments: [
                UUID().uuidString, "\(number)", Int64(Date().timeIntervalSince1970 * 1_000),
                #"{"number":\#(number),"text":"\#(Entry.text)"}"#,
            ]
        )
    }
}
