//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// Reads dead letters, idempotency records and statistics.
enum DeliveryReader {
    static func idempotencyRecord(for key: String, in database: Database) throws -> IdempotencyRecord? {
        let statement = try database.cachedStatement(sql: "SELECT * FROM idempotency WHERE key = ?")
        return try Row.fetchOne(statement, arguments: [SQLText(key)]).map { row in
            IdempotencyRecord(
                key: key,
                command: Data(try row.decode(String.self, forColumn: "command").utf8),
                outcome: Data(try row.decode(String.self, forColumn: "outcome").utf8),
                date: Date(milliseconds: try row.decode(forColumn: "date"))
            )
        }
    }

    private static let letters = """
        SELECT dead_letter.id AS letter, dead_letter.position AS place, subscription.name AS subscription_name,
            attempts, reason, date, event.*
        FROM dead_letter
        JOIN subscription ON subscription.id = dead_letter.subscription
        LEFT JOIN event ON event.position = dead_letter.position
        """

    static func deadLetters(
        after id: Int64,
        of subscription: String?,
        limit: Int,
        in database: Database
    ) throws -> [DeadLetter] {
        try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    \(letters)
                    WHERE dead_letter.id > ?1 AND (?2 IS NULL OR subscription.name = ?2)
                    ORDER BY dead_letter.id LIMIT ?3
                    """
            ),
            arguments: [id, subscription.map(SQLText.init), max(0, limit)]
        ).map { try deadLetter($0, in: database) }
    }

    static func deadLetter(_ id: Int64, in database: Database) throws -> DeadLetter? {
        try Row.fetchOne(
            database.cachedStatement(sql: "\(letters) WHERE dead_letter.id = ?"),
            arguments: [id]
        ).map { try deadLetter($0, in: database) }
    }

    private static func deadLetter(_ row: Row, in database: Database) throws -> DeadLetter {
        let position: Int64 = try row.decode(forColumn: "place")
        let content: Delivery.Content =
            if position < 0 {
                try LeaseQueries.scheduled(-position, in: database)
            } else if row.hasNull(atIndex: 6) {
                .missing
            } else {
                .event(try DocumentReader.event(row))
            }
        return DeadLetter(
            id: try row.decode(forColumn: "letter"),
            subscription: try row.decode(SQLText.self, forColumn: "subscription_name").text,
            attempts: try row.decode(forColumn: "attempts"),
            reason: try row.decode(SQLText.self, forColumn: "reason").text,
            date: Date(milliseconds: try row.decode(forColumn: "date")),
            content: content
        )
    }

    static func statistics(in database: Database) throws -> DeliveryStatistics {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT subscription.name AS name, pending, letters, event.recorded_at AS oldest
                FROM subscription
                LEFT JOIN (
                    SELECT lane.subscription AS id, count(*) AS pending,
                        min(CASE WHEN position > 0 THEN position END) AS first
                    FROM lane JOIN delivery ON delivery.lane = lane.id GROUP BY lane.subscription
                ) AS pending ON pending.id = subscription.id
                LEFT JOIN (
                    SELECT subscription AS id, count(*) AS letters FROM dead_letter GROUP BY subscription
                ) AS dead ON dead.id = subscription.id
                LEFT JOIN event ON event.position = pending.first
                ORDER BY subscription.name
                """
        )
        // The sequence keeps the position of events that are pruned.
        let lastPosition = try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'event'")
        return DeliveryStatistics(
            subscriptions: try rows.map { row in
                DeliveryStatistics.Subscription(
                    name: try row.decode(SQLText.self, forColumn: "name").text,
                    pendingCount: try row.decode(Int?.self, forColumn: "pending") ?? 0,
                    oldestPending: try row.decode(Int64?.self, forColumn: "oldest").map(Date.init(milliseconds:)),
                    deadLetterCount: try row.decode(Int?.self, forColumn: "letters") ?? 0
                )
            },
            lastPosition: lastPosition ?? 0
        )
    }
}
#endif
