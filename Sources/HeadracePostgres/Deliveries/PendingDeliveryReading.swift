// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage

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
#endif
