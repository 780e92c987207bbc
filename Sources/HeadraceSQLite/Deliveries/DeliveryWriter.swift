// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceCore
import HeadraceStorage

/// Writes events, deliveries and messages of a change set within its transaction; entities are written elsewhere.
struct DeliveryWriter {
    let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// Stores the idempotency keys of `changes`.
    ///
    /// Throws if one of them is already stored.
    func remember(_ changes: ChangeSet) throws {
        for record in changes.idempotencyRecords { try remember(record) }
    }

    /// Applies the settlements, events and scheduled messages of `changes`.
    ///
    /// Throws if a lease is no longer valid.
    func apply(_ changes: ChangeSet) throws {
        for settlement in changes.settlements {
            if try !SettlementWriter(database).settle(settlement) { throw StoreError.leaseLost(settlement.lease) }
        }
        var positions: [Int64] = []
        positions.reserveCapacity(changes.events.count)
        for event in changes.events {
            positions.append(try append(event))
        }
        for delivery in changes.deliveries {
            try deliver(
                positions[delivery.event],
                of: changes.events[delivery.event].stream,
                to: delivery.subscription
            )
        }
        for message in changes.scheduled { try schedule(message) }
        for id in changes.cancellations { try cancel(id) }
    }

    private func remember(_ record: IdempotencyRecord) throws {
        try database.run(
            "INSERT INTO headrace_idempotency (key, command, outcome, date) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        ) { statement in
            statement.bind(record.key)
            statement.bind(utf8: record.command)
            statement.bind(utf8: record.outcome)
            statement.bind(record.date.milliseconds)
        }
        if database.changesCount == 0 { throw StoreError.keyTaken(record.key) }
    }

    private func append(_ event: NewEvent) throws -> Int64 {
        let origin = try text(of: event.origin)
        try database.run(
            """
            INSERT INTO headrace_event (id, name, version, stream_kind, stream_key, recorded_at, document, origin)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { statement in
            statement.bind(event.id.text())
            statement.bind(event.name)
            statement.bind(event.version)
            statement.bind(event.stream?.kind)
            statement.bind(event.stream?.key)
            statement.bind(event.recordedAt.milliseconds)
            statement.bind(utf8: event.json)
            statement.bind(origin)
        }
        return database.lastInsertedRowID
    }

    private func text(of origin: MessageOrigin) throws -> String? {
        origin == .unknown ? nil : try origin.storedText
    }

    // MARK: Lanes

    /// Returns the ID of a subscription, and creates the ID with the first delivery to the subscription.
    func subscription(_ name: String) throws -> Int64 {
        if let id = try database.integer("SELECT id FROM headrace_subscription WHERE name = ?", { $0.bind(name) }) {
            return id
        }
        try database.run("INSERT INTO headrace_subscription (name) VALUES (?)") { $0.bind(name) }
        return database.lastInsertedRowID
    }

    /// Adds the event at `position` to the lane of its stream, for the subscription `name`.
    func deliver(_ position: Int64, of stream: EntityReference?, to name: String, isReplay: Bool = false) throws {
        let lane = try lane(of: stream, for: name)
        try database.run(
            "INSERT INTO headrace_delivery (lane, position, is_replay) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        ) { statement in
            statement.bind(lane)
            statement.bind(position)
            statement.bind(isReplay ? 1 : 0)
        }
    }

    /// Returns the ID of the lane of a stream, and creates the lane if it doesn't exist.
    ///
    /// Without a stream, each call creates a lane.
    private func lane(of stream: EntityReference?, for name: String) throws -> Int64 {
        // An upsert with RETURNING would be one statement, but SQLite builds a temporary table for each of its rows.
        let found: (subscription: Int64, lane: Int64?)? = try database.withPreparedStatement(
            """
            SELECT subscription.id, lane.id FROM headrace_subscription AS subscription
            LEFT JOIN headrace_lane AS lane ON lane.subscription = subscription.id AND stream_kind = ? AND stream_key = ?
            WHERE subscription.name = ?
            """
        ) { statement in
            statement.bind(stream?.kind)
            statement.bind(stream?.key)
            statement.bind(name)
            guard try statement.next() else { return nil }
            return (try statement.integer(0), statement.isNull(1) ? nil : try statement.integer(1))
        }
        if let lane = found?.lane { return lane }
        let subscription = try found?.subscription ?? subscription(name)
        return try makeLane(for: subscription, stream: stream, readyAt: 0)
    }

    private func makeLane(
        for subscription: Int64,
        stream: EntityReference?,
        readyAt: Int64,
        since: Int64? = nil
    ) throws -> Int64 {
        try database.run(
            "INSERT INTO headrace_lane (subscription, stream_kind, stream_key, ready_at, since) VALUES (?, ?, ?, ?, ?)"
        ) { statement in
            statement.bind(subscription)
            statement.bind(stream?.kind)
            statement.bind(stream?.key)
            statement.bind(readyAt)
            statement.bind(since)
        }
        return database.lastInsertedRowID
    }

    // MARK: Scheduled messages

    private func schedule(_ message: ScheduledMessage) throws {
        let lane = try makeLane(
            for: try subscription(ScheduledMessage.subscription),
            stream: nil,
            readyAt: max(1, message.dueAt.milliseconds),
            since: message.since?.milliseconds
        )
        let origin = try text(of: message.origin)
        try database.run(
            """
            INSERT INTO headrace_scheduled_message
                (id, kind, name, version, stream_kind, stream_key, due_at, document, origin, lane)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ) { statement in
            statement.bind(message.id.text())
            statement.bind(message.kind.rawValue)
            statement.bind(message.name)
            statement.bind(message.version)
            statement.bind(message.stream?.kind)
            statement.bind(message.stream?.key)
            statement.bind(message.dueAt.milliseconds)
            statement.bind(utf8: message.json)
            statement.bind(origin)
            statement.bind(lane)
        }
        let number = database.lastInsertedRowID
        try database.run("INSERT INTO headrace_delivery (lane, position, is_replay) VALUES (?, ?, 0)") { statement in
            statement.bind(lane)
            statement.bind(-number)
        }
    }

    private func cancel(_ id: UUID) throws {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT number, lane FROM headrace_scheduled_message WHERE id = ?"),
            arguments: [id.text()]
        )
        for row in rows {
            let number: Int64 = try row.decode(forColumn: "number")
            let lane: Int64 = try row.decode(forColumn: "lane")
            try database.execute(sql: "DELETE FROM headrace_lane WHERE id = ?", arguments: [lane])
            try database.execute(sql: "DELETE FROM headrace_dead_letter WHERE position = ?", arguments: [-number])
            try database.execute(sql: "DELETE FROM headrace_scheduled_message WHERE number = ?", arguments: [number])
        }
    }

    // MARK: Dead letters

    /// Moves a delivery from its lane to the dead letters.
    func moveToDeadLetters(_ failure: Settlement.Failure, from lane: Int64) throws {
        try database.execute(
            sql: """
                INSERT INTO headrace_dead_letter (subscription, position, is_replay, attempts, reason, date, correction)
                SELECT subscription, position, is_replay, ?, ?, ?, correction
                FROM headrace_delivery AS delivery JOIN headrace_lane AS lane ON lane.id = delivery.lane WHERE delivery.lane = ? AND position = ?
                """,
            arguments: [
                failure.attempts, SQLText(failure.reason), failure.date.milliseconds, lane, failure.position,
            ]
        )
        try remove(failure.position, from: lane)
    }

    /// Removes a delivery from its lane.
    func remove(_ position: Int64, from lane: Int64) throws {
        try database.run("DELETE FROM headrace_delivery WHERE lane = ? AND position = ?") { statement in
            statement.bind(lane)
            statement.bind(position)
        }
    }

    /// Delivers a dead letter again, in a separate lane.
    func replayDeadLetter(_ id: Int64) throws -> Bool {
        let letter = try Row.fetchOne(
            database,
            sql: "SELECT subscription, position, is_replay, correction FROM headrace_dead_letter WHERE id = ?",
            arguments: [id]
        )
        guard let letter else { return false }
        let position: Int64 = try letter.decode(forColumn: "position")
        let isReplay: Bool = try letter.decode(forColumn: "is_replay")
        let lane = try makeLane(for: try letter.decode(forColumn: "subscription"), stream: nil, readyAt: 0)
        try database.execute(
            sql: "INSERT INTO headrace_delivery (lane, position, is_replay) VALUES (?, ?, ?)",
            arguments: [lane, position, isReplay]
        )
        if let correction = try letter.decode(String?.self, forColumn: "correction") {
            try database.execute(
                sql: "UPDATE headrace_lane SET correction = ? WHERE id = ?", arguments: [correction, lane])
        }
        if position < 0 {
            try database.execute(
                sql: "UPDATE headrace_scheduled_message SET lane = ? WHERE number = ?",
                arguments: [lane, -position]
            )
        }
        try database.execute(sql: "DELETE FROM headrace_dead_letter WHERE id = ?", arguments: [id])
        return true
    }

    /// Corrects a dead letter, and delivers it again.
    func replayDeadLetter(_ id: Int64, correctedTo json: Data) throws -> Bool {
        try database.run("UPDATE headrace_dead_letter SET correction = ? WHERE id = ?") { statement in
            statement.bind(utf8: json)
            statement.bind(id)
        }
        return try replayDeadLetter(id)
    }

    func discardDeadLetter(_ id: Int64) throws -> Bool {
        try database.execute(
            sql: """
                DELETE FROM headrace_scheduled_message
                WHERE number = (SELECT -position FROM headrace_dead_letter WHERE id = ? AND position < 0)
                """,
            arguments: [id]
        )
        try database.execute(sql: "DELETE FROM headrace_dead_letter WHERE id = ?", arguments: [id])
        return database.changesCount == 1
    }

    // MARK: Pauses

    /// Pauses or resumes the subscription `name`, and returns whether it exists.
    func setPause(of name: String, since date: Date?) throws -> Bool {
        try database.execute(
            sql: """
                UPDATE headrace_subscription SET paused_at = CASE WHEN ?1 IS NOT NULL THEN ifnull(paused_at, ?1) END
                WHERE name = ?2
                """,
            arguments: [date?.milliseconds, SQLText(name)]
        )
        return database.changesCount == 1
    }

    // MARK: Pruning

    func prune(_ request: PruneRequest) throws -> Int {
        var count = 0
        if let date = request.idempotencyRecordsBefore {
            try database.execute(
                sql: """
                    DELETE FROM headrace_idempotency WHERE key IN (
                        SELECT key FROM headrace_idempotency WHERE date < ? ORDER BY date LIMIT ?
                    )
                    """,
                arguments: [date.milliseconds, max(0, request.limit)]
            )
            count += database.changesCount
        }
        if let date = request.eventsBefore {
            let positions = try Int64.fetchAll(
                database,
                sql: """
                    DELETE FROM headrace_event WHERE position IN (
                        SELECT position FROM headrace_event
                        WHERE recorded_at < ?
                            AND position NOT IN (SELECT position FROM headrace_delivery)
                            AND position NOT IN (SELECT position FROM headrace_dead_letter)
                        ORDER BY position LIMIT ?
                    )
                    RETURNING position
                    """,
                arguments: [date.milliseconds, max(0, request.limit - count)]
            )
            if let last = positions.max() {
                try database.execute(
                    sql: "UPDATE headrace_pruned_event SET position = max(position, ?)",
                    arguments: [last]
                )
            }
            count += positions.count
        }
        return count
    }
}
#endif
