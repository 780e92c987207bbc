// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceCore
import HeadraceStorage
import Synchronization

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
                UPDATE subscription SET replay_after = ?, replay_names = ?, replay_count = 0,
                    replay_until = (SELECT ifnull(max(position), 0) FROM event),
                    replay_lane = (SELECT ifnull(max(id), 0) FROM lane)
                WHERE id = ? AND replay_after IS NULL
                """,
            arguments: [position, ReplayNames.text(of: names), subscription]
        )
        if database.changesCount == 0 { return nil }
        // Each lane that was leased since the last replay has such a time.
        try database.execute(
            sql: """
                UPDATE lane SET token = token + 1, attempts = 0, begun = 0, ready_at = 0, since = NULL,
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
            sql: "SELECT id, replay_count, replay_after, replay_until, replay_names FROM subscription WHERE name = ?",
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
                SELECT position FROM event WHERE position > ? AND position <= ? ORDER BY position LIMIT ?
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
            sql: "UPDATE subscription SET replay_after = ?, replay_count = ? WHERE id = ?",
            arguments: [last, replayed, subscription]
        )
        return Progress(count: replayed, isComplete: false)
    }

    private func finish(_ subscription: Int64, count: Int) throws -> Progress {
        try database.execute(
            sql: """
                UPDATE subscription SET replay_after = NULL, replay_until = NULL, replay_names = NULL, replay_count = ?
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
                SELECT position, stream_kind, stream_key FROM event
                WHERE position > ? AND position <= ? AND name IN (\(stored.map { _ in "?" }.joined(separator: ", ")))
                    AND position NOT IN (
                        SELECT delivery.position FROM lane JOIN delivery ON delivery.lane = lane.id
                        WHERE lane.subscription = ? AND stream_kind IS NULL AND stream_key IS NULL
                            AND lane.id <= (SELECT ifnull(replay_lane, lane.id) FROM subscription WHERE id = ?)
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
