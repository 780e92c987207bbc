// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

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

        let next = try database.integer("SELECT min(position) FROM delivery WHERE lane = ?") {
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
            "UPDATE lane SET since = ? - (ready_at - since), ready_at = ? WHERE id = ? AND token = ?"
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
                EXISTS (SELECT 1 FROM delivery WHERE lane = lane.id AND position IS NOT ?),
                unknown_since IS NOT NULL OR last_failure IS NOT NULL
            FROM lane WHERE id = ? AND token = ?
                AND NOT EXISTS (SELECT 1 FROM delivery WHERE lane = lane.id AND position < ?)
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
        try database.run("DELETE FROM lane WHERE id = ?") { $0.bind(lease.lane) }
    }

    /// Deletes the scheduled message that was delivered at `position`, if there is one.
    private func forgetScheduled(at position: Int64) throws {
        if position >= 0 { return }
        try database.run("DELETE FROM scheduled_message WHERE number = ?") { $0.bind(-position) }
    }

    private func update(_ lease: Lease, attempts: Int, begun: Int64) throws {
        try database.run("UPDATE lane SET attempts = ?, begun = ? WHERE id = ?") { statement in
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
            UPDATE lane SET token = token + 1, attempts = ?, begun = ?, ready_at = ?, since = ifnull(?, since)
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
            "UPDATE lane SET unknown_name = ?, unknown_version = ?, unknown_since = ? WHERE id = ?"
        ) { statement in
            statement.bind(name)
            statement.bind(version)
            statement.bind(since.milliseconds)
            statement.bind(lease.lane)
        }
    }

    private func note(_ reason: String, for lease: Lease) throws {
        try database.run("UPDATE lane SET last_failure = ? WHERE id = ?") { statement in
            statement.bind(reason)
            statement.bind(lease.lane)
        }
    }

    private func forgetNotes(_ lease: Lease) throws {
        try database.execute(
            sql: "UPDATE lane SET unknown_since = NULL, last_failure = NULL WHERE id = ?", arguments: [lease.lane])
    }
}
#endif
