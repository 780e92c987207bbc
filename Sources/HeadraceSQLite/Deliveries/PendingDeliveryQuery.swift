// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

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
            FROM lane
            CROSS JOIN delivery AS head ON head.lane = lane.id
                AND head.position = (SELECT min(position) FROM delivery AS earlier WHERE earlier.lane = lane.id)
            CROSS JOIN delivery ON delivery.lane = lane.id
                AND delivery.position > CASE WHEN lane.ready_at = ?3 AND lane.id = ?4 THEN ?5 ELSE \(-Int64.max) END
                AND delivery.position <= CASE
                    WHEN ?6 IN ('scheduled', 'retrying', 'unknown') THEN head.position
                    WHEN ?6 = 'running' THEN lane.begun
                    ELSE \(Int64.max)
                END
            LEFT JOIN event ON event.position = delivery.position
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
        try database.withPreparedStatement("SELECT id, name FROM subscription") { statement in
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
#endif
