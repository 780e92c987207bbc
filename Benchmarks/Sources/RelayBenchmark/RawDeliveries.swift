// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HeadraceSQLite
import HeadraceStorage

/// Inserts the same rows with GRDB alone: an event, its lane and its delivery, 64 of each in a durable transaction.
enum RawDeliveries {
    static func event(_ number: Int) -> NewEvent {
        NewEvent(
            id: UUID(
                uuid: (1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, UInt8(truncatingIfNeeded: number))),
            name: Placed.eventName,
            version: 1,
            stream: EntityReference(kind: "order", key: "\(number % 1_000)"),
            recordedAt: Date(timeIntervalSince1970: 1_700_000_000),
            json: Data(#"{"number":\#(number),"text":"an event of the usual size, give or take"}"#.utf8)
        )
    }

    /// Returns the events per second.
    static func insert(_ count: Int, into file: URL) throws -> Double {
        let path = file.path(percentEncoded: false)
        // Creates the tables.
        try SQLiteStore(path: path, entities: []).close()
        let pool = try DatabasePool(path: path)
        defer { try? pool.close() }
        let events = (0..<count).map(event)
        return try pool.writeWithoutTransaction { database in
            // The store does the same: GRDB sets its writer to NORMAL.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "INSERT INTO headrace_subscription (id, name) VALUES (1, 'handle')")
            let start = ContinuousClock.now
            for first in stride(from: 0, to: count, by: 64) {
                try database.inTransaction(.immediate) {
                    for number in first..<min(count, first + 64) { try insert(events[number], number, database) }
                    return .commit
                }
            }
            return Double(count) / (start.duration(to: .now) / .seconds(1))
        }
    }

    private static func insert(_ event: NewEvent, _ number: Int, _ database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO headrace_event (id, name, version, stream_kind, stream_key, recorded_at, document)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                event.id.uuidString, event.name, event.version, event.stream?.kind, event.stream?.key,
                1_700_000_000_000,
                String(decoding: event.json, as: UTF8.self),
            ]
        )
        let position = database.lastInsertedRowID
        try database.cachedStatement(
            sql: "INSERT INTO headrace_lane (subscription, stream_kind, stream_key, ready_at) VALUES (1, ?, ?, 0)"
        ).execute(arguments: [event.stream?.kind, "\(number)"])
        try database.cachedStatement(sql: "INSERT INTO headrace_delivery (lane, position, is_replay) VALUES (?, ?, 0)")
            .execute(arguments: [database.lastInsertedRowID, position])
    }

    /// Moves the write-ahead log of the file at `path` into the file.
    static func checkpoint(_ path: String) throws {
        try DatabaseQueue(path: path).writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
}
