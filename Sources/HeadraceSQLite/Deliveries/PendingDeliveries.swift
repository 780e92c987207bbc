// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// Reads dead letters, idempotency records and statistics.
enum DeliveryReader {
    static func idempotencyRecord(for key: String, in database: Database) throws -> IdempotencyRecord? {
        try database.withPreparedStatement("SELECT command, outcome, date FROM headrace_idempotency WHERE key = ?") {
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
        FROM headrace_dead_letter AS dead_letter
        JOIN headrace_subscription AS subscription ON subscription.id = dead_letter.subscription
        LEFT JOIN headrace_event AS event ON event.position = dead_letter.position
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
        try Int64.fetchOne(database, sql: "SELECT position FROM headrace_pruned_event") ?? 0
    }

    static func statistics(in database: Database) throws -> DeliveryStatistics {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT subscription.name AS name, pending, letters, event.recorded_at AS oldest, paused_at
                FROM headrace_subscription AS subscription
                LEFT JOIN (
                    SELECT lane.subscription AS id, count(*) AS pending,
                        min(CASE WHEN position > 0 THEN position END) AS first
                    FROM headrace_lane AS lane JOIN headrace_delivery AS delivery ON delivery.lane = lane.id GROUP BY lane.subscription
                ) AS pending ON pending.id = subscription.id
                LEFT JOIN (
                    SELECT subscription AS id, count(*) AS letters FROM headrace_dead_letter GROUP BY subscription
                ) AS dead ON dead.id = subscription.id
                LEFT JOIN headrace_event AS event ON event.position = pending.first
                ORDER BY subscription.name
                """
        )
        // The sequence keeps the position of events that are pruned.
        let lastPosition = try database.integer("SELECT seq FROM sqlite_sequence WHERE name = 'headrace_event'")
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

/// Reads a page of the deliveries that aren't completed.
struct PendingDeliveryQuery {
    let request: PendingDeliveryRequest

    /// Reads one subscription in the order of the index `lane_by_time`, so that a page costs no sorting.
    ///
    /// The conditions on the lane alone come first, so that lanes in another state aren't joined. A lane without a stream has one
    /// delivery, so nothing waits behind it. A lane that was never leased neither runs nor waits for a retry. The bounds of the position
    /// keep a page from reading a whole lane.
    static let sql = """
        SELECT * FROM (
            SELECT lane.id AS lane, delivery.position AS position, delivery.is_replay, lane.ready_at AS ready_at,
                CASE WHEN delivery.position = head.position THEN lane.attempts ELSE 0 END,
                CASE WHEN delivery.position = head.position THEN lane.last_failure END,
                CASE
                    WHEN lane.ready_at > ?2 AND lane.token > 0 AND delivery.position <= lane.begun THEN 'running'
                    WHEN delivery.position > head.position OR lane.ready_at <= ?2 THEN 'waiting'
                    WHEN lane.unknown_name IS NOT NULL THEN 'unknown'
                    WHEN delivery.position < 0 AND lane.token = 0 THEN 'scheduled'
                    ELSE 'retrying'
                END AS state,
                lane.correction, \(DocumentReader.eventColumns)
            FROM headrace_lane AS lane
            CROSS JOIN headrace_delivery AS head ON head.lane = lane.id
                AND head.position = (SELECT min(position) FROM headrace_delivery AS earlier WHERE earlier.lane = lane.id)
            CROSS JOIN headrace_delivery AS delivery ON delivery.lane = lane.id
                AND delivery.position > CASE WHEN lane.ready_at = ?3 AND lane.id = ?4 THEN ?5 ELSE \(-Int64.max) END
                AND delivery.position <= CASE
                    WHEN ?6 IN ('scheduled', 'retrying', 'unknown') THEN head.position
                    WHEN ?6 = 'running' THEN lane.begun
                    ELSE \(Int64.max)
                END
            LEFT JOIN headrace_event AS event ON event.position = delivery.position
            WHERE lane.subscription = ?1 AND lane.ready_at >= ?3 AND (lane.ready_at > ?3 OR lane.id >= ?4)
                AND (?6 IS NOT 'waiting' OR lane.ready_at <= ?2 OR lane.stream_kind IS NOT NULL)
                AND (ifnull(?6, '') NOT IN ('running', 'retrying') OR lane.token > 0)
                AND (?6 IS NOT 'unknown' OR lane.unknown_name IS NOT NULL)
        ) WHERE ?6 IS NULL OR state = ?6
        ORDER BY ready_at, lane, position LIMIT ?7
        """

    func page(in database: Database) throws -> [PendingDelivery] {
        var page: [PendingDelivery] = []
        for subscription in try subscriptions(in: database) {
            let room = request.limit - page.count
            if room <= 0 { break }
            guard let start = request.start(in: subscription.name) else { continue }
            try database.withPreparedStatement(Self.sql) { statement in
                statement.bind(subscription.id)
                statement.bind(request.now.milliseconds)
                statement.bind(start.0)
                statement.bind(start.1)
                statement.bind(start.2)
                statement.bind(request.state?.rawValue)
                statement.bind(room)
                while try statement.next() {
                    page.append(try delivery(statement, of: subscription.name, in: database))
                }
            }
        }
        return page
    }

    private func subscriptions(in database: Database) throws -> [(id: Int64, name: String)] {
        try database.withPreparedStatement("SELECT id, name FROM headrace_subscription") { statement in
            var all: [(id: Int64, name: String)] = []
            while try statement.next() { all.append((try statement.integer(0), try statement.text(1))) }
            return all.sorted { BytewiseString($0.name) < BytewiseString($1.name) }
        }
    }

    private func delivery(
        _ row: borrowing PreparedStatement,
        of subscription: String,
        in database: Database
    ) throws -> PendingDelivery {
        let position: Int64 = try row.integer(1)
        let state = try row.text(6)
        guard let state = PendingDelivery.State(rawValue: state) else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "a delivery has the state '\(state)'")
        }
        return PendingDelivery(
            id: PendingDelivery.ID(lane: try row.integer(0), position: position),
            state: state,
            subscription: subscription,
            attempts: try row.integer(4),
            readyAt: Date(milliseconds: try row.integer(3)),
            isReplay: try row.integer(2) != 0,
            lastFailure: row.isNull(5) ? nil : try row.text(5),
            content: try LeaseQueries.correctedContent(at: position, row, from: 7, in: database)
        )
    }
}

/// Carries out the operations of an operator on deliveries that aren't completed.
struct PendingDeliveryWriter {
    let database: Database

    private struct Place {
        let attempts: Int
        let isFirst: Bool

        /// Whether a relay holds the lane.
        let isLeased: Bool

        /// Whether the lease covers the delivery.
        let isCovered: Bool
    }

    /// Makes the lane of a delivery due that waits for its next attempt, and returns whether it waited.
    func retry(_ id: PendingDelivery.ID, now: Date) throws -> Bool {
        try database.run(
            """
            UPDATE headrace_lane SET ready_at = max(1, ?1), since = ?1
            WHERE id = ?2 AND ready_at > ?1 AND ?3 = (SELECT min(position) FROM headrace_delivery WHERE lane = ?2)
                AND (token = 0 OR ?3 > begun) AND (?3 > 0 OR token > 0 OR unknown_name IS NOT NULL)
            """
        ) { statement in
            statement.bind(now.milliseconds)
            statement.bind(id.lane)
            statement.bind(id.position)
        }
        return database.changesCount == 1
    }

    /// Moves a delivery to the dead letters, and returns `false` if it is running or no longer exists.
    func cancel(_ id: PendingDelivery.ID, reason: String, now: Date) throws -> Bool {
        guard let place = try place(of: id, now: now.milliseconds), !(place.isLeased && place.isCovered) else {
            return false
        }
        let failure = Settlement.Failure(
            position: id.position, attempts: place.isFirst ? place.attempts : 0, reason: reason, date: now)
        try DeliveryWriter(database).moveToDeadLetters(failure, from: id.lane)
        try database.execute(
            sql:
                "DELETE FROM headrace_lane WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM headrace_delivery WHERE lane = ?1)",
            arguments: [id.lane])
        // Behind a running delivery, the lease stays valid.
        if !place.isLeased {
            try database.execute(sql: "UPDATE headrace_lane SET token = token + 1 WHERE id = ?", arguments: [id.lane])
        }
        if place.isFirst {
            try database.execute(
                sql: """
                    UPDATE headrace_lane SET attempts = 0, last_failure = NULL, unknown_name = NULL, unknown_version = NULL,
                        unknown_since = NULL, since = CASE WHEN ready_at > ?1 THEN ?1 ELSE since END,
                        ready_at = CASE WHEN ready_at > ?1 THEN max(1, ?1) ELSE ready_at END
                    WHERE id = ?2
                    """,
                arguments: [now.milliseconds, id.lane]
            )
        }
        return true
    }

    private func place(of id: PendingDelivery.ID, now: Int64) throws -> Place? {
        try database.withPreparedStatement(
            """
            SELECT attempts, position = head, ready_at > ?1 AND token > 0 AND head <= begun,
                position <= begun
            FROM headrace_lane AS lane JOIN headrace_delivery AS delivery ON delivery.lane = lane.id
            JOIN (SELECT min(position) AS head FROM headrace_delivery AS delivery WHERE lane = ?2)
            WHERE lane.id = ?2 AND position = ?3
            """
        ) { statement in
            statement.bind(now)
            statement.bind(id.lane)
            statement.bind(id.position)
            guard try statement.next() else { return nil }
            return Place(
                attempts: try statement.integer(0),
                isFirst: try statement.integer(1) != 0,
                isLeased: try statement.integer(2) != 0,
                isCovered: try statement.integer(3) != 0
            )
        }
    }
}
#endif
