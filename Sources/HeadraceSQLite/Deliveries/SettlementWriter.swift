// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceCore
import HeadraceStorage
import Synchronization

/// Applies settlements and renews leases.
///
/// Each requires that its lease is valid.
struct SettlementWriter {
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    private struct Lane {
        let attempts: Int
        let begun: Int64

        /// Whether the lane contains deliveries other than the given delivery.
        let holdsMore: Bool

        /// Whether the first delivery was unknown to a relay, or an attempt has failed.
        let hasNotes: Bool
    }

    /// Applies `settlement`, or returns `false` if its lease is no longer valid, or its lane has an earlier delivery.
    func settle(_ settlement: Settlement) throws -> Bool {
        let only = settlement.acknowledged.count == 1 ? settlement.acknowledged.first : nil
        guard let lane = try lane(of: settlement, besides: only) else { return false }
        if let only, !lane.holdsMore, settlement.failures.isEmpty, settlement.end != nil {
            // The most frequent settlement: the delivery is deleted with its lane.
            try forgetScheduled(at: only)
            try delete(settlement.lease)
            return true
        }
        let deliveries = DeliveryWriter(database)
        for position in settlement.acknowledged {
            try deliveries.remove(position, from: settlement.lease.lane)
            try forgetScheduled(at: position)
        }
        for failure in settlement.failures {
            try deliveries.moveToDeadLetters(failure, from: settlement.lease.lane)
        }

        let next = try database.integer("SELECT min(position) FROM headrace_delivery WHERE lane = ?") {
            $0.bind(settlement.lease.lane)
        }
        let isRemoved = !settlement.acknowledged.isEmpty || !settlement.failures.isEmpty
        if isRemoved, lane.hasNotes { try forgetNotes(settlement.lease) }
        if next != nil, let reason = settlement.storedReason { try note(reason, for: settlement.lease) }
        let attempts = settlement.attempts.map { max(0, $0) } ?? (isRemoved ? 0 : lane.attempts)
        switch (next, settlement.end) {
        case (nil, nil):
            try update(settlement.lease, attempts: 0, begun: lane.begun)
        case (nil, _?):
            try delete(settlement.lease)
        case (_?, nil):
            if attempts != lane.attempts { try update(settlement.lease, attempts: attempts, begun: lane.begun) }
        case (_?, .finished(let now)):
            try end(settlement.lease, attempts: attempts, begun: lane.begun, readyAt: now, since: now)
        case (let head?, .retry(let date, let now)):
            try end(settlement.lease, attempts: attempts, begun: head - 1, readyAt: date, since: now)
        case (let head?, .released(let now)):
            try end(settlement.lease, attempts: attempts, begun: head - 1, readyAt: now, since: now)
        case (let head?, .unknown(let name, let version, let since, let until, let now)):
            try end(settlement.lease, attempts: attempts, begun: head - 1, readyAt: until, since: now)
            try leave(settlement.lease, name: name, version: version, since: since)
        }
        return true
    }

    /// Extends `lease` until `date` if it is valid.
    func renew(_ lease: Lease, until date: Date) throws -> Bool {
        let readyAt = max(1, date.milliseconds)
        try database.run(
            "UPDATE headrace_lane SET since = ? - (ready_at - since), ready_at = ? WHERE id = ? AND token = ?"
        ) { statement in
            statement.bind(readyAt)
            statement.bind(readyAt)
            statement.bind(lease.lane)
            statement.bind(lease.token)
        }
        return database.changesCount == 1
    }

    private func lane(of settlement: Settlement, besides position: Int64?) throws -> Lane? {
        try database.withPreparedStatement(
            """
            SELECT attempts, begun,
                EXISTS (SELECT 1 FROM headrace_delivery WHERE lane = lane.id AND position IS NOT ?),
                unknown_since IS NOT NULL OR last_failure IS NOT NULL
            FROM headrace_lane AS lane WHERE id = ? AND token = ?
                AND NOT EXISTS (SELECT 1 FROM headrace_delivery WHERE lane = lane.id AND position < ?)
            """
        ) { statement in
            statement.bind(position)
            statement.bind(settlement.lease.lane)
            statement.bind(settlement.lease.token)
            statement.bind(settlement.firstPosition)
            guard try statement.next() else { return nil }
            return Lane(
                attempts: try statement.integer(0),
                begun: try statement.integer(1),
                holdsMore: try statement.integer(2) != 0,
                hasNotes: try statement.integer(3) != 0
            )
        }
    }

    private func delete(_ lease: Lease) throws {
        try database.run("DELETE FROM headrace_lane WHERE id = ?") { $0.bind(lease.lane) }
    }

    /// Deletes the scheduled message that was delivered at `position`, if there is one.
    private func forgetScheduled(at position: Int64) throws {
        if position >= 0 { return }
        try database.run("DELETE FROM headrace_scheduled_message WHERE number = ?") { $0.bind(-position) }
    }

    private func update(_ lease: Lease, attempts: Int, begun: Int64) throws {
        try database.run("UPDATE headrace_lane SET attempts = ?, begun = ? WHERE id = ?") { statement in
            statement.bind(attempts)
            statement.bind(begun)
            statement.bind(lease.lane)
        }
    }

    /// Ends `lease`.
    ///
    /// The lane waits until `readyAt`, as requested at `since`.
    private func end(_ lease: Lease, attempts: Int, begun: Int64, readyAt: Date, since: Date?) throws {
        try database.run(
            """
            UPDATE headrace_lane SET token = token + 1, attempts = ?, begun = ?, ready_at = ?, since = ifnull(?, since)
            WHERE id = ?
            """
        ) { statement in
            statement.bind(attempts)
            statement.bind(begun)
            statement.bind(max(1, readyAt.milliseconds))
            statement.bind(since?.milliseconds)
            statement.bind(lease.lane)
        }
    }

    /// Lets the lane wait for a relay that knows its first message.
    private func leave(_ lease: Lease, name: String, version: Int, since: Date) throws {
        try database.run(
            "UPDATE headrace_lane SET unknown_name = ?, unknown_version = ?, unknown_since = ? WHERE id = ?"
        ) { statement in
            statement.bind(name)
            statement.bind(version)
            statement.bind(since.milliseconds)
            statement.bind(lease.lane)
        }
    }

    private func note(_ reason: String, for lease: Lease) throws {
        try database.run("UPDATE headrace_lane SET last_failure = ? WHERE id = ?") { statement in
            statement.bind(reason)
            statement.bind(lease.lane)
        }
    }

    private func forgetNotes(_ lease: Lease) throws {
        try database.execute(
            sql: "UPDATE headrace_lane SET unknown_since = NULL, last_failure = NULL WHERE id = ?",
            arguments: [lease.lane])
    }
}

/// Replays events in parts, each of which is one transaction.
struct ReplayWriter {
    /// The state of a replay.
    struct Progress: Equatable {
        /// Number of events that are delivered again.
        let count: Int

        let isComplete: Bool
    }

    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// Ends all leases of the subscription `name`, and replays the first part of the events.
    ///
    /// - Returns: The state after it; `nil` if an earlier replay isn't complete.
    func begin(_ name: String, eventsNamed names: Set<String>, after position: Int64) throws -> Progress? {
        let subscription = try DeliveryWriter(database).subscription(name)
        try database.execute(
            sql: """
                UPDATE headrace_subscription SET replay_after = ?, replay_names = ?, replay_count = 0,
                    replay_until = (SELECT ifnull(max(position), 0) FROM headrace_event),
                    replay_lane = (SELECT ifnull(max(id), 0) FROM headrace_lane)
                WHERE id = ? AND replay_after IS NULL
                """,
            arguments: [position, ReplayNames.text(of: names), subscription]
        )
        if database.changesCount == 0 { return nil }
        // Each lane that was leased since the last replay has such a time.
        try database.execute(
            sql: """
                UPDATE headrace_lane SET token = token + 1, attempts = 0, begun = 0, ready_at = 0, since = NULL,
                    unknown_name = NULL, unknown_version = NULL, unknown_since = NULL, last_failure = NULL
                WHERE subscription = ? AND ready_at > 0
                """,
            arguments: [subscription]
        )
        return try advance(name)
    }

    /// Replays the next events up to the limit of those that are read, of all names.
    ///
    /// - Returns: The state after them, which is complete if no replay is incomplete.
    func advance(_ name: String) throws -> Progress {
        let row = try Row.fetchOne(
            database,
            sql:
                "SELECT id, replay_count, replay_after, replay_until, replay_names FROM headrace_subscription WHERE name = ?",
            arguments: [SQLText(name)]
        )
        guard let row else { return Progress(count: 0, isComplete: true) }
        let count: Int = try row.decode(forColumn: "replay_count")
        guard
            let after = try row.decode(Int64?.self, forColumn: "replay_after"),
            let until = try row.decode(Int64?.self, forColumn: "replay_until"),
            let names = try row.decode(String?.self, forColumn: "replay_names")
        else { return Progress(count: count, isComplete: true) }
        let subscription: Int64 = try row.decode(forColumn: "id")
        let last = try database.integer(
            """
            SELECT max(position) FROM (
                SELECT position FROM headrace_event WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
            )
            """
        ) { statement in
            statement.bind(after)
            statement.bind(until)
            statement.bind(ReplayNames.partSize)
        }
        guard let last else { return try finish(subscription, count: count) }
        let events = try events(named: ReplayNames.names(in: names), after: after, through: last, of: subscription)
        let writer = DeliveryWriter(database)
        var replayed = count
        for event in events {
            try writer.deliver(event.position, of: event.stream, to: name, isReplay: true)
            // An event that is pending in the lane of its stream isn't added again.
            replayed += database.changesCount
        }
        if last == until { return try finish(subscription, count: replayed) }
        try database.execute(
            sql: "UPDATE headrace_subscription SET replay_after = ?, replay_count = ? WHERE id = ?",
            arguments: [last, replayed, subscription]
        )
        return Progress(count: replayed, isComplete: false)
    }

    private func finish(_ subscription: Int64, count: Int) throws -> Progress {
        try database.execute(
            sql: """
                UPDATE headrace_subscription SET replay_after = NULL, replay_until = NULL, replay_names = NULL, replay_count = ?
                WHERE id = ?
                """,
            arguments: [count, subscription]
        )
        return Progress(count: count, isComplete: true)
    }

    /// Returns the events of a part that aren't pending in a lane without a stream.
    ///
    /// The lanes that this replay has added are skipped. There can be a million of them, and no index of deliveries by position.
    private func events(
        named names: Set<String>,
        after position: Int64,
        through last: Int64,
        of subscription: Int64
    ) throws -> [(position: Int64, stream: EntityReference?)] {
        let stored = names.map { SQLText($0) }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT position, stream_kind, stream_key FROM headrace_event
                WHERE position > ? AND position <= ? AND name IN (\(stored.map { _ in "?" }.joined(separator: ", ")))
                    AND position NOT IN (
                        SELECT delivery.position FROM headrace_lane AS lane JOIN headrace_delivery AS delivery ON delivery.lane = lane.id
                        WHERE lane.subscription = ? AND stream_kind IS NULL AND stream_key IS NULL
                            AND lane.id <= (SELECT ifnull(replay_lane, lane.id) FROM headrace_subscription WHERE id = ?)
                            AND delivery.position > ? AND delivery.position <= ?
                    )
                ORDER BY position
                """,
            arguments: [position, last] + StatementArguments(stored) + [subscription, subscription, position, last]
        )
        // All rows are read first: rows that are inserted must not appear in a query that is still running.
        var events: [(position: Int64, stream: EntityReference?)] = []
        while let row = try rows.next() {
            var stream: EntityReference?
            if let kind = try row.decode(SQLText?.self, forColumn: "stream_kind"),
                let key = try row.decode(SQLText?.self, forColumn: "stream_key")
            {
                stream = EntityReference(kind: kind.text, key: key.text)
            }
            events.append((try row.decode(forColumn: "position"), stream))
        }
        return events
    }
}

/// The subscriptions that a store replays, with the number of calls.
final class RunningReplays: Sendable {
    private let counts = Mutex<[BytewiseString: Int]>([:])

    func begin(_ subscription: String) {
        counts.withLock { $0[BytewiseString(subscription), default: 0] += 1 }
    }

    func end(_ subscription: String) {
        counts.withLock { counts in
            let name = BytewiseString(subscription)
            counts[name] = counts[name].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    func contain(_ subscription: String) -> Bool {
        counts.withLock { $0[BytewiseString(subscription)] != nil }
    }
}
#endif
