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
            SELECT subscription.name, pending, letters, event.recorded_at, paused_at FROM subscription
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
#endif
