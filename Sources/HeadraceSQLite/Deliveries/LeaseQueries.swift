//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    }

    private static let columns = "SELECT id, token, attempts, begun, unknown_since FROM lane WHERE subscription = ?"

    /// Whether a lane is due.
    ///
    /// Checked before writing, which costs more.
    func isDue() throws -> Bool {
        let now = request.now.milliseconds
        for subscription in try subscriptions() {
            let find = try database.cachedStatement(
                sql: "SELECT 1 FROM lane WHERE subscription = ? AND ready_at <= ? LIMIT 1"
            )
            if try Int.fetchOne(find, arguments: [subscription.id, now]) != nil { return true }
            if try !left(subscription, limit: 1).isEmpty { return true }
            if checksClocks {
                let ahead = try database.cachedStatement(sql: "SELECT 1 FROM lane WHERE \(Self.isAhead) LIMIT 1")
                if try Int.fetchOne(ahead, arguments: [subscription.id, now, latestClock]) != nil { return true }
            }
        }
        return false
    }

    /// Returns the date at which the next waiting lane becomes due.
    func nextDue() throws -> Date? {
        let now = request.now.milliseconds
        return try subscriptions().compactMap { subscription in
            try Int64.fetchOne(
                database.cachedStatement(
                    sql: "SELECT min(ready_at) FROM lane WHERE subscription = ? AND ready_at > ?"
                ),
                arguments: [subscription.id, now]
            )
        }.min().map(Date.init(milliseconds:))
    }

    /// SQL condition for a wait set by a clock that is ahead of the request by more than the duration of a lease.
    private static let isAhead = "subscription = ? AND ready_at > ? AND since > ?"

    private var latestClock: Int64 { request.now.advanced(by: request.duration).milliseconds }

    /// Restarts, from now, the waits that were set by a clock that is ahead.
    private func shortenWaits(of subscription: Int64) throws {
        let now = request.now.milliseconds
        try database.cachedStatement(
            sql: "UPDATE lane SET ready_at = ? + max(0, ready_at - since), since = ? WHERE \(Self.isAhead)"
        ).execute(arguments: [now, now, subscription, now, latestClock])
    }

    func lease() throws -> LeasedDeliveries {
        let subscriptions = try subscriptions()
        if checksClocks {
            for subscription in subscriptions { try shortenWaits(of: subscription.id) }
        }
        var leased = LeasedDeliveries()
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

    private func subscriptions() throws -> [(id: Int64, name: String)] {
        let find = try database.cachedStatement(sql: "SELECT id FROM subscription WHERE name = ?")
        return try request.subscriptions.compactMap { name in
            try Int64.fetchOne(find, arguments: [SQLText(name)]).map { ($0, name) }
        }
    }

    /// Returns the lanes that are due: first those that waited, up to half of the limit, then new lanes.
    ///
    /// Lanes that wait for a relay that knows their message come before both.
    private func due(_ subscription: (id: Int64, name: String), limit: Int) throws -> [Lane] {
        let left = try left(subscription, limit: limit)
        let due = try lanes(
            "\(Self.columns) AND ready_at BETWEEN 1 AND ? ORDER BY ready_at, id LIMIT ?",
            [subscription.id, request.now.milliseconds, limit]
        )
        let waited = left + due.filter { lane in !left.contains { $0.id == lane.id } }
        let first = waited.prefix((limit + 1) / 2)
        let fresh = try lanes(
            "\(Self.columns) AND ready_at = 0 ORDER BY id LIMIT ?",
            [subscription.id, limit - first.count]
        )
        return Array((first + fresh + waited.dropFirst(first.count)).prefix(limit))
    }

    /// Returns the lanes that other relays left because of an unknown message that the requesting relay knows.
    private func left(_ subscription: (id: Int64, name: String), limit: Int) throws -> [Lane] {
        guard let known = request.known[subscription.name], !known.isEmpty else { return [] }
        let any = try database.cachedStatement(
            sql: "SELECT 1 FROM lane WHERE subscription = ? AND unknown_name IS NOT NULL LIMIT 1"
        )
        if try Int.fetchOne(any, arguments: [subscription.id]) == nil { return [] }
        let found = try known.flatMap { message in
            try lanes(
                "\(Self.columns) AND unknown_name = ? AND unknown_version BETWEEN ? AND ? ORDER BY id LIMIT ?",
                [
                    subscription.id, SQLText(message.name), message.versions.lowerBound, message.versions.upperBound,
                    limit,
                ]
            )
        }
        return Array(found.sorted { $0.id < $1.id }.prefix(limit))
    }

    private func lanes(_ sql: String, _ arguments: StatementArguments) throws -> [Lane] {
        try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments).map { row in
            Lane(
                id: try row.decode(forColumn: "id"),
                token: try row.decode(forColumn: "token"),
                attempts: try row.decode(forColumn: "attempts"),
                begun: try row.decode(forColumn: "begun"),
                unknownSince: try row.decode(forColumn: "unknown_since")
            )
        }
    }

    private func lease(_ lane: Lane, of subscription: String) throws -> [Delivery] {
        let mayHaveRun = try mayHaveRun(lane)
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT delivery.position AS place, is_replay, event.* FROM delivery
                    LEFT JOIN event ON event.position = delivery.position
                    WHERE lane = ? ORDER BY delivery.position LIMIT ?
                    """
            ),
            arguments: [lane.id, mayHaveRun || lane.attempts > 0 ? 1 : max(1, request.batchLimit)]
        )
        let lease = Lease(lane: lane.id, token: lane.token + 1)
        let deliveries = try rows.enumerated().map { index, row in
            let position: Int64 = try row.decode(forColumn: "place")
            return Delivery(
                lease: lease,
                position: position,
                subscription: subscription,
                attempt: index == 0 ? lane.attempts + 1 : 1,
                mayHaveRun: mayHaveRun,
                unknownSince: index == 0 ? lane.unknownSince.map(Date.init(milliseconds:)) : nil,
                isReplay: try row.decode(forColumn: "is_replay"),
                content: try content(at: position, row)
            )
        }
        guard let last = deliveries.last else {
            try database.execute(sql: "DELETE FROM lane WHERE id = ?", arguments: [lane.id])
            return []
        }
        try database.cachedStatement(
            sql: """
                UPDATE lane SET token = ?, begun = ?, ready_at = ?, since = ?, unknown_name = NULL, unknown_version = NULL
                WHERE id = ?
                """
        ).execute(arguments: [
            lease.token, max(lane.begun, last.position),
            max(1, request.now.advanced(by: request.duration).milliseconds), request.now.milliseconds, lane.id,
        ])
        return deliveries
    }

    /// Whether the first delivery was leased before and that lease ended without an outcome.
    private func mayHaveRun(_ lane: Lane) throws -> Bool {
        if lane.token == 0 { return false }
        let head = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT min(position) FROM delivery WHERE lane = ?"),
            arguments: [lane.id]
        )
        return head.map { $0 <= lane.begun } ?? false
    }

    private func content(at position: Int64, _ row: Row) throws -> Delivery.Content {
        if position < 0 { return try Self.scheduled(-position, in: database) }
        return row.hasNull(atIndex: 2) ? .missing : .event(try DocumentReader.event(row))
    }

    /// Reads the scheduled message with this number.
    static func scheduled(_ number: Int64, in database: Database) throws -> Delivery.Content {
        let row = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT * FROM scheduled_message WHERE number = ?"),
            arguments: [number]
        )
        guard let row else { return .missing }
        let kind: String = try row.decode(forColumn: "kind")
        guard let kind = ScheduledMessage.Kind(rawValue: kind) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a scheduled message is of kind '\(kind)'")
        }
        return .scheduled(
            ScheduledMessage(
                id: try DocumentReader.identifier(row, "id"),
                kind: kind,
                name: try row.decode(SQLText.self, forColumn: "name").text,
                version: try row.decode(forColumn: "version"),
                stream: try DocumentReader.stream(of: row),
                dueAt: Date(milliseconds: try row.decode(forColumn: "due_at")),
                json: Data(try row.decode(String.self, forColumn: "document").utf8),
                origin: try DocumentReader.origin(of: row)
            )
        )
    }
}
#endif
