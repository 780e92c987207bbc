// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage

/// Reads dead letters, idempotency records, and statistics.
struct DeliveryReading: Sendable {
    let session: Session

    func idempotencyRecord(for key: String) async throws -> IdempotencyRecord? {
        let rows = try await session.run(
            "SELECT command, outcome, date FROM idempotency WHERE key = $1", [.bytes([UInt8](key))])
        return try rows.first.map { row in
            IdempotencyRecord(
                key: key,
                command: Data(try row.bytes(0)),
                outcome: Data(try row.bytes(1)),
                date: Date(milliseconds: try row.integer(2))
            )
        }
    }

    private static let letters = """
        SELECT dead_letter.id, subscription.name, attempts, reason, date, correction IS NOT NULL,
            \(LeaseProcedure.messages(of: "dead_letter"))
        FROM dead_letter
        JOIN subscription ON subscription.id = dead_letter.subscription
        LEFT JOIN event ON event.position = dead_letter.position
        LEFT JOIN scheduled_message message ON message.number = -dead_letter.position
        """

    func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter] {
        let rows = try await session.run(
            """
            \(Self.letters) WHERE dead_letter.id > $1 AND ($2::bytea IS NULL OR subscription.name = $2)
            ORDER BY dead_letter.id LIMIT $3
            """,
            [.integer(id), .bytes(subscription.map { [UInt8]($0) }), .integer(Int64(max(0, limit)))]
        )
        return try rows.rows.map(deadLetter)
    }

    func deadLetter(_ id: Int64) async throws -> DeadLetter? {
        try await session.run("\(Self.letters) WHERE dead_letter.id = $1", [.integer(id)]).first.map(deadLetter)
    }

    private func deadLetter(_ row: PostgresRow) throws -> DeadLetter {
        DeadLetter(
            id: try row.integer(0),
            subscription: try row.text(1),
            attempts: Int(try row.integer(2)),
            reason: try row.text(3),
            date: Date(milliseconds: try row.integer(4)),
            content: try DocumentRows.content(row, from: 6),
            isCorrected: try row.flag(5)
        )
    }

    func prunedPosition() async throws -> Int64 {
        try await session.run("SELECT pruned_position FROM store").first?.integer(0) ?? 0
    }

    func statistics() async throws -> DeliveryStatistics {
        let rows = try await session.run(
            """
            SELECT subscription.name, coalesce(pending, 0) + waiting, letters, event.recorded_at, paused_at FROM (
                SELECT id, name, paused_at, CASE
                    WHEN name = '\(DeliveryProcedures.scheduled)' THEN (SELECT count(*) FROM staged) ELSE 0
                END AS waiting FROM subscription
                UNION ALL
                -- The first lease of a staged message makes the subscription.
                SELECT 0, '\(DeliveryProcedures.scheduled)', NULL, count(*) FROM staged
                WHERE NOT EXISTS (SELECT 1 FROM subscription WHERE name = '\(DeliveryProcedures.scheduled)')
                HAVING count(*) > 0
            ) subscription
            LEFT JOIN (
                SELECT lane.subscription AS id, count(*) AS pending, min(position) FILTER (WHERE position > 0) AS first
                FROM lane JOIN delivery ON delivery.lane = lane.id GROUP BY lane.subscription
            ) pending ON pending.id = subscription.id
            LEFT JOIN (
                SELECT subscription AS id, count(*) AS letters FROM dead_letter GROUP BY subscription
            ) dead ON dead.id = subscription.id
            LEFT JOIN event ON event.position = pending.first
            ORDER BY subscription.name
            """
        )
        // The sequence keeps the position of events that are pruned.
        let last = try await session.run("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_position")
        return DeliveryStatistics(
            subscriptions: try rows.rows.map { row in
                DeliveryStatistics.Subscription(
                    name: try row.text(0),
                    pendingCount: Int(row.optionalInteger(1) ?? 0),
                    oldestPending: row.optionalInteger(3).map(Date.init(milliseconds:)),
                    deadLetterCount: Int(row.optionalInteger(2) ?? 0),
                    pausedSince: row.optionalInteger(4).map(Date.init(milliseconds:))
                )
            },
            lastPosition: try last.first?.integer(0) ?? 0
        )
    }
}

/// Reads a page of the deliveries that aren't completed.
struct PendingDeliveryReading: Sendable {
    let session: Session
    let request: PendingDeliveryRequest

    /// Reads one subscription in the order of the index `lane_by_time`, so that a page costs no sorting.
    ///
    /// The conditions on the lane alone come first, so that lanes in another state aren't joined. A lane without a stream has one
    /// delivery, so nothing waits behind it. A lane that was never leased neither runs nor waits for a retry. Without the condition on
    /// `ready_at` alone, the server doesn't use the index, which has no rows with `NULL`. The bounds of the position keep a page
    /// from reading a whole lane.
    static let sql = """
        SELECT found.lane, found.position, found.is_replay, found.ready_at, found.attempts, found.last_failure, found.state,
            \(LeaseProcedure.messages(of: "found"))
        FROM (
            SELECT * FROM (
                SELECT lane.id AS lane, delivery.position, delivery.is_replay, lane.ready_at, lane.correction,
                    CASE WHEN delivery.position = head.position THEN lane.attempts ELSE 0 END AS attempts,
                    CASE WHEN delivery.position = head.position THEN lane.last_failure END AS last_failure,
                    CASE
                        WHEN lane.ready_at > $2 AND lane.token > 0 AND delivery.position <= lane.begun THEN 'running'
                        WHEN delivery.position > head.position OR lane.ready_at <= $2 THEN 'waiting'
                        WHEN lane.unknown_name IS NOT NULL THEN 'unknown'
                        WHEN delivery.position < 0 AND lane.token = 0 THEN 'scheduled'
                        ELSE 'retrying'
                    END AS state
                FROM lane
                CROSS JOIN LATERAL (
                    SELECT earlier.position FROM delivery earlier WHERE earlier.lane = lane.id
                    ORDER BY earlier.position LIMIT 1
                ) head
                JOIN delivery ON delivery.lane = lane.id
                    AND delivery.position >
                        CASE WHEN (lane.ready_at, lane.id) = ($3, $4) THEN $5 ELSE \(-Int64.max) END
                    AND delivery.position <= CASE
                        WHEN $6::text IN ('scheduled', 'retrying', 'unknown') THEN head.position
                        WHEN $6::text = 'running' THEN lane.begun
                        ELSE \(Int64.max)
                    END
                WHERE lane.subscription = $1 AND lane.ready_at >= $3 AND (lane.ready_at, lane.id) >= ($3, $4)
                    AND ($6::text IS DISTINCT FROM 'waiting' OR lane.ready_at <= $2 OR lane.stream_kind IS NOT NULL)
                    AND (coalesce($6::text, '') NOT IN ('running', 'retrying') OR lane.token > 0)
                    AND ($6::text IS DISTINCT FROM 'unknown' OR lane.unknown_name IS NOT NULL)
            ) pending
            WHERE $6::text IS NULL OR pending.state = $6::text
            ORDER BY pending.ready_at, pending.lane, pending.position LIMIT $7
        ) found
        LEFT JOIN event ON event.position = found.position
        LEFT JOIN scheduled_message message ON message.number = -found.position
        ORDER BY found.ready_at, found.lane, found.position
        """

    func page() async throws -> [PendingDelivery] {
        var page: [PendingDelivery] = []
        let names = try await session.run("SELECT id, name FROM subscription ORDER BY name")
        for row in names.rows {
            let room = request.limit - page.count
            if room <= 0 { break }
            let (id, name) = (try row.integer(0), try row.text(1))
            guard let start = request.start(in: name) else { continue }
            let rows = try await session.run(
                Self.sql,
                [
                    .integer(id), .integer(request.now.milliseconds), .integer(start.0), .integer(start.1),
                    .integer(start.2), .text(request.state.map { [UInt8]($0.rawValue.utf8) }), .integer(Int64(room)),
                ]
            )
            page += try rows.rows.map { try delivery($0, of: name) }
        }
        return page
    }

    private func delivery(_ row: PostgresRow, of subscription: String) throws -> PendingDelivery {
        let state = try row.text(6)
        guard let state = PendingDelivery.State(rawValue: state) else {
            throw PostgresFailure.refused(state: "XX001", message: "a delivery has the state '\(state)'")
        }
        return PendingDelivery(
            id: PendingDelivery.ID(lane: try row.integer(0), position: try row.integer(1)),
            state: state,
            subscription: subscription,
            attempts: Int(try row.integer(4)),
            readyAt: Date(milliseconds: try row.integer(3)),
            isReplay: try row.flag(2),
            lastFailure: row.optionalText(5),
            content: try DocumentRows.content(row, from: 7)
        )
    }
}

/// Replays events in parts.
struct Replaying: Sendable {
    /// The state of a replay.
    struct Progress: Equatable {
        /// Number of events that are delivered again.
        let count: Int

        let isComplete: Bool
    }

    let session: Session

    /// Begins a replay, and returns its state after the first part; `nil` if an earlier replay isn't complete.
    func begin(_ subscription: String, eventsNamed names: Set<String>, after position: Int64) async throws -> Progress?
    {
        try await run(
            "SELECT * FROM begin_replay($1, $2, $3, $4)",
            [
                .bytes([UInt8](subscription)), .text([UInt8](ReplayNames.text(of: names).utf8)), .integer(position),
                .integer(Int64(ReplayNames.partSize)),
            ])
    }

    /// Replays the next part.
    ///
    /// - Parameters:
    ///   - subscription: The name of the subscription.
    ///   - waits: Whether to wait for a process that advances a replay now.
    /// - Returns: The state after the part; `nil` if another process advances a replay and `waits` is `false`.
    /// - Throws: ``PostgresFailure``.
    func advance(_ subscription: String, waits: Bool) async throws -> Progress? {
        try await run(
            "SELECT * FROM advance_replay($1, $2, $3)",
            [.bytes([UInt8](subscription)), .integer(Int64(ReplayNames.partSize)), .flag(waits)])
    }

    private func run(_ sql: String, _ values: [PostgresValue]) async throws -> Progress? {
        guard let row = try await session.run(sql, values).first, let count = row.optionalInteger(0) else { return nil }
        return Progress(count: Int(count), isComplete: try row.flag(1))
    }
}

extension ArgumentTables {
    /// Appends `settlements`.
    ///
    /// - Parameters:
    ///   - settlements: The settlements.
    ///   - unit: The unit of work that they belong to, for a procedure that has this column.
    ///   - rounds: Number of settlements of each lane so far.
    mutating func append(_ settlements: [Settlement], unit: Int64? = nil, rounds: inout [Int64: Int64]) {
        for settlement in settlements {
            let round = rounds[settlement.lease.lane, default: 0]
            rounds[settlement.lease.lane] = round + 1
            append(settlement, unit: unit, round: round)
        }
    }

    private mutating func append(_ settlement: Settlement, unit: Int64?, round: Int64) {
        let end = EndColumns(settlement.end)
        let cells: [Cell] = [
            .integer(settlement.lease.lane), .integer(settlement.lease.token), .integer(round),
            .integer(settlement.attempts.map(Int64.init)), .integer(end.number.rawValue), .integer(end.ready),
            .integer(end.since), .text(settlement.storedReason ?? end.name), .integer(end.version),
            .integer(end.unknownSince), .integer(settlement.firstPosition),
        ]
        append("s", all: (unit.map { [.integer($0)] } ?? []) + cells)
        let number = Int64(count("s"))
        for position in settlement.acknowledged {
            append("a", .integer(number), .integer(position))
        }
        for failure in settlement.failures {
            append(
                "f", .integer(number), .integer(failure.position), .integer(Int64(failure.attempts)),
                .text(failure.reason), .integer(failure.date.milliseconds))
        }
    }
}

/// The end of a lease as columns.
private struct EndColumns {
    var number = SettlementProcedure.End.none
    var ready: Int64?
    var since: Int64?
    var name: String?
    var version: Int64?
    var unknownSince: Int64?

    init(_ end: Settlement.End?) {
        switch end {
        case nil:
            break
        case .finished(let now):
            (number, ready, since) = (.finished, now.milliseconds, now.milliseconds)
        case .retry(let date, let now):
            (number, ready, since) = (.retry, date.milliseconds, now?.milliseconds)
        case .released(let now):
            (number, ready, since) = (.released, now.milliseconds, now.milliseconds)
        case .unknown(let name, let version, let since, let until, let now):
            (number, ready, self.since) = (.unknown, until.milliseconds, now.milliseconds)
            (self.name, self.version, unknownSince) = (name, Int64(version), since.milliseconds)
        }
    }
}
#endif
