// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// Reads dead letters, idempotency records and statistics.
enum DeliveryReader {
    static func idempotencyRecord(for key: String, in database: Database) throws -> IdempotencyRecord? {
        try database.withPreparedStatement("SELECT command, outcome, date FROM idempotency WHERE key = ?") {
            statement in
            statement.bind(key)
            guard try statement.next() else { return nil }
            return IdempotencyRecord(
                key: key,
                command: try statement.utf8(0),
                outcome: try statement.utf8(1),
                date: Date(milliseconds: try statement.integer(2))
            )
        }
    }

    private static let letters = """
        SELECT dead_letter.id, dead_letter.position, subscription.name, attempts, reason, date,
            correction, \(DocumentReader.eventColumns)
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
        try database.withPreparedStatement(
            """
            \(letters)
            WHERE dead_letter.id > ?1 AND (?2 IS NULL OR subscription.name = ?2)
            ORDER BY dead_letter.id LIMIT ?3
            """
        ) { statement in
            statement.bind(id)
            statement.bind(subscription)
            statement.bind(max(0, limit))
            var letters: [DeadLetter] = []
            while try statement.next() { letters.append(try deadLetter(statement, in: database)) }
            return letters
        }
    }

    static func deadLetter(_ id: Int64, in database: Database) throws -> DeadLetter? {
        try database.withPreparedStatement("\(letters) WHERE dead_letter.id = ?") { statement in
            statement.bind(id)
            return try statement.next() ? try deadLetter(statement, in: database) : nil
        }
    }

    private static func deadLetter(_ row: borrowing PreparedStatement, in database: Database) throws -> DeadLetter {
        let position: Int64 = try row.integer(1)
        return DeadLetter(
            id: try row.integer(0),
            subscription: try row.text(2),
            attempts: try row.integer(3),
            reason: try row.text(4),
            date: Date(milliseconds: try row.integer(5)),
            content: try LeaseQueries.correctedContent(at: position, row, from: 6, in: database),
            isCorrected: !row.isNull(6)
        )
    }

    static func prunedPosition(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT position FROM pruned_event") ?? 0
    }

    static func statistics(in database: Database) throws -> DeliveryStatistics {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT subscription.name AS name, pending, letters, event.recorded_at AS oldest, paused_at
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
                    deadLetterCount: try row.decode(Int?.self, forColumn: "letters") ?? 0,
                    pausedSince: try row.decode(Int64?.self, forColumn: "paused_at").map(Date.init(milliseconds:))
                )
            },
            lastPosition: lastPosition ?? 0
        )
    }
}
#endif
