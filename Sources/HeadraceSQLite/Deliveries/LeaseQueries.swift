// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// Leases the lanes that are due, and reads their deliveries.
struct LeaseQueries {
    private let database: Database
    private let request: LeaseRequest

    /// Whether to look for waits that were set by a clock that is ahead.
    private let checksClocks: Bool

    init(_ request: LeaseRequest, checksClocks: Bool, in database: Database) {
        self.request = request
        self.checksClocks = checksClocks
        self.database = database
    }

    private struct Lane {
        let id: Int64
        let token: Int64
        let attempts: Int
        let begun: Int64
        let unknownSince: Int64?

        /// The corrected content of the only delivery.
        let correction: Data?
    }

    private static let columns = """
        SELECT id, token, attempts, begun, unknown_since, correction FROM headrace_lane WHERE subscription = ?
        """

    /// Whether a lane is due.
    ///
    /// Checked before writing, which costs more.
    func isDue() throws -> Bool {
        // Such a request only asks which subscriptions are paused.
        if request.laneLimit <= 0 { return false }
        let now = request.now.milliseconds
        for subscription in try subscriptions().running {
            let due = try database.integer(
                "SELECT 1 FROM headrace_lane WHERE subscription = ? AND ready_at <= ? LIMIT 1"
            ) { statement in
                statement.bind(subscription.id)
                statement.bind(now)
            }
            if due != nil { return true }
            if try !left(subscription, limit: 1).isEmpty { return true }
            if checksClocks {
                let ahead = try database.integer("SELECT 1 FROM headrace_lane WHERE \(Self.isAhead) LIMIT 1") {
                    statement in
                    statement.bind(subscription.id)
                    statement.bind(now)
                    statement.bind(latestClock)
                }
                if ahead != nil { return true }
            }
        }
        return false
    }

    /// Returns the date at which the next waiting lane becomes due.
    func nextDue() throws -> Date? {
        let now = request.now.milliseconds
        return try subscriptions().running.compactMap { subscription in
            try database.integer("SELECT min(ready_at) FROM headrace_lane WHERE subscription = ? AND ready_at > ?") {
                statement in
                statement.bind(subscription.id)
                statement.bind(now)
            }
        }.min().map(Date.init(milliseconds:))
    }

    /// SQL condition for a wait set by a clock that is ahead of the request by more than the duration of a lease.
    private static let isAhead = "subscription = ? AND ready_at > ? AND since > ?"

    private var latestClock: Int64 { request.now.advanced(by: request.duration).milliseconds }

    /// Restarts, from now, the waits that were set by a clock that is ahead.
    private func shortenWaits(of subscription: Int64) throws {
        let now = request.now.milliseconds
        try database.run(
            "UPDATE headrace_lane SET ready_at = ? + max(0, ready_at - since), since = ? WHERE \(Self.isAhead)"
        ) { statement in
            statement.bind(now)
            statement.bind(now)
            statement.bind(subscription)
            statement.bind(now)
            statement.bind(latestClock)
        }
    }

    func lease() throws -> LeasedDeliveries {
        let (subscriptions, paused) = try subscriptions()
        if checksClocks {
            for subscription in subscriptions { try shortenWaits(of: subscription.id) }
        }
        var leased = LeasedDeliveries(paused: paused)
        let share = max(1, request.laneLimit / max(1, subscriptions.count))
        for limit in [share, request.laneLimit] {
            for subscription in subscriptions {
                let room = min(limit, request.laneLimit - leased.lanes.count)
                if room <= 0 { break }
                for lane in try due(subscription, limit: room) {
                    let deliveries = try lease(lane, of: subscription.name)
                    if !deliveries.isEmpty { leased.lanes.append(deliveries) }
                }
            }
        }
        leased.nextDue = try nextDue()
        return leased
    }

    /// Returns the subscriptions of the request with a replay that isn't complete.
    func replaying() throws -> [String] {
        try request.subscriptions.filter { name in
            try database.integer("SELECT 1 FROM headrace_subscription WHERE name = ? AND replay_after IS NOT NULL") {
                statement in
                statement.bind(name)
            } != nil
        }
    }

    /// Returns the subscriptions of the request whose lanes may be leased, and the names of those that are paused.
    private func subscriptions() throws -> (running: [(id: Int64, name: String)], paused: Set<String>) {
        var running: [(id: Int64, name: String)] = []
        var paused: Set<String> = []
        for name in request.subscriptions {
            try database.withPreparedStatement(
                "SELECT id, paused_at, replay_after FROM headrace_subscription WHERE name = ?"
            ) { statement in
                statement.bind(name)
                guard try statement.next() else { return }
                if !statement.isNull(1) {
                    paused.insert(name)
                } else if statement.isNull(2) {
                    running.append((try statement.integer(0), name))
                }
            }
        }
        return (running, paused)
    }

    /// Returns the answer to a request for which no lane is due.
    func nothing() throws -> LeasedDeliveries {
        LeasedDeliveries(nextDue: try nextDue(), paused: try subscriptions().paused)
    }

    /// Returns the lanes that are due: first those that waited, up to half of the limit, then new lanes.
    ///
    /// Lanes that wait for a relay that knows their message come before both.
    private func due(_ subscription: (id: Int64, name: String), limit: Int) throws -> [Lane] {
        let left = try left(subscription, limit: limit)
        let due = try lanes("\(Self.columns) AND ready_at BETWEEN 1 AND ? ORDER BY ready_at, id LIMIT ?") { statement in
            statement.bind(subscription.id)
            statement.bind(request.now.milliseconds)
            statement.bind(limit)
        }
        let waited = left + due.filter { lane in !left.contains { $0.id == lane.id } }
        let first = waited.prefix((limit + 1) / 2)
        let fresh = try lanes("\(Self.columns) AND ready_at = 0 ORDER BY id LIMIT ?") { statement in
            statement.bind(subscription.id)
            statement.bind(limit - first.count)
        }
        return Array((first + fresh + waited.dropFirst(first.count)).prefix(limit))
    }

    /// Returns the lanes that other relays left because of an unknown message that the requesting relay knows.
    private func left(_ subscription: (id: Int64, name: String), limit: Int) throws -> [Lane] {
        guard let known = request.known[subscription.name], !known.isEmpty else { return [] }
        let any = try database.integer(
            "SELECT 1 FROM headrace_lane WHERE subscription = ? AND unknown_name IS NOT NULL LIMIT 1"
        ) { $0.bind(subscription.id) }
        if any == nil { return [] }
        let found = try known.flatMap { message in
            try lanes(
                "\(Self.columns) AND unknown_name = ? AND unknown_version BETWEEN ? AND ? ORDER BY id LIMIT ?"
            ) { statement in
                statement.bind(subscription.id)
                statement.bind(message.name)
                statement.bind(message.versions.lowerBound)
                statement.bind(message.versions.upperBound)
                statement.bind(limit)
            }
        }
        return Array(found.sorted { $0.id < $1.id }.prefix(limit))
    }

    private func lanes(_ sql: String, _ bind: (inout PreparedStatement) -> Void) throws -> [Lane] {
        try database.withPreparedStatement(sql) { statement in
            bind(&statement)
            var lanes: [Lane] = []
            while try statement.next() {
                lanes.append(
                    Lane(
                        id: try statement.integer(0),
                        token: try statement.integer(1),
                        attempts: try statement.integer(2),
                        begun: try statement.integer(3),
                        unknownSince: statement.isNull(4) ? nil : try statement.integer(4),
                        correction: statement.isNull(5) ? nil : try statement.utf8(5)
                    )
                )
            }
            return lanes
        }
    }

    private func lease(_ lane: Lane, of subscription: String) throws -> [Delivery] {
        let mayHaveRun = try mayHaveRun(lane)
        let lease = Lease(lane: lane.id, token: lane.token + 1)
        let deliveries = try database.withPreparedStatement(
            """
            SELECT delivery.position, is_replay, \(DocumentReader.eventColumns) FROM headrace_delivery AS delivery
            LEFT JOIN headrace_event AS event ON event.position = delivery.position
            WHERE lane = ? ORDER BY delivery.position LIMIT ?
            """
        ) { statement in
            statement.bind(lane.id)
            statement.bind(mayHaveRun || lane.attempts > 0 ? 1 : max(1, request.batchLimit))
            var deliveries: [Delivery] = []
            while try statement.next() {
                let isFirst = deliveries.isEmpty
                let position: Int64 = try statement.integer(0)
                deliveries.append(
                    Delivery(
                        lease: lease,
                        position: position,
                        subscription: subscription,
                        attempt: isFirst ? lane.attempts + 1 : 1,
                        mayHaveRun: mayHaveRun,
                        unknownSince: isFirst ? lane.unknownSince.map(Date.init(milliseconds:)) : nil,
                        isReplay: try statement.integer(1) != 0,
                        content: try Self.content(at: position, statement, from: 2, in: database)
                            .corrected(to: lane.correction)
                    )
                )
            }
            return deliveries
        }
        guard let last = deliveries.last else {
            try database.run("DELETE FROM headrace_lane WHERE id = ?") { $0.bind(lane.id) }
            return []
        }
        try database.run(
            """
            UPDATE headrace_lane SET token = ?, begun = ?, ready_at = ?, since = ?, unknown_name = NULL, unknown_version = NULL
            WHERE id = ?
            """
        ) { statement in
            statement.bind(lease.token)
            statement.bind(max(lane.begun, last.position))
            statement.bind(max(1, request.now.advanced(by: request.duration).milliseconds))
            statement.bind(request.now.milliseconds)
            statement.bind(lane.id)
        }
        return deliveries
    }

    /// Whether the first delivery was leased before and that lease ended without an outcome.
    private func mayHaveRun(_ lane: Lane) throws -> Bool {
        if lane.token == 0 { return false }
        let head = try database.integer("SELECT min(position) FROM headrace_delivery WHERE lane = ?") {
            $0.bind(lane.id)
        }
        return head.map { $0 <= lane.begun } ?? false
    }

    /// Reads the content of a delivery whose corrected content, if there is any, is in the column `first`.
    ///
    /// The columns after it are those of its event, if it has one.
    static func correctedContent(
        at position: Int64,
        _ row: borrowing PreparedStatement,
        from first: CInt,
        in database: Database
    ) throws -> Delivery.Content {
        try content(at: position, row, from: first + 1, in: database)
            .corrected(to: row.isNull(first) ? nil : try row.utf8(first))
    }

    /// Reads the content of a delivery from a row whose columns from `first` on are those of its event, if it has one.
    private static func content(
        at position: Int64,
        _ row: borrowing PreparedStatement,
        from first: CInt,
        in database: Database
    ) throws -> Delivery.Content {
        if position < 0 { return try scheduled(at: position, in: database) }
        return row.isNull(first) ? .missing : .event(try DocumentReader.event(row, from: first))
    }

    /// Reads the scheduled message at a position, which is its negated number.
    private static func scheduled(at position: Int64, in database: Database) throws -> Delivery.Content {
        try database.withPreparedStatement(
            """
            SELECT id, kind, name, version, stream_kind, stream_key, due_at, document, origin
            FROM headrace_scheduled_message WHERE number = ?
            """
        ) { statement in
            statement.bind(-position)
            guard try statement.next() else { return .missing }
            let kind = try statement.text(1)
            guard let kind = ScheduledMessage.Kind(rawValue: kind) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a scheduled message is of kind '\(kind)'")
            }
            return .scheduled(
                ScheduledMessage(
                    id: try DocumentReader.identifier(statement, 0),
                    kind: kind,
                    name: try statement.text(2),
                    version: try statement.integer(3),
                    stream: try DocumentReader.stream(of: statement, from: 4),
                    dueAt: Date(milliseconds: try statement.integer(6)),
                    json: try statement.utf8(7),
                    origin: try DocumentReader.origin(of: statement, 8)
                )
            )
        }
    }
}
#endif
