// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage

/// Carries out the operations of an operator on deliveries that aren't completed.
struct PendingDeliveryWriter {
    let database: Database

    private struct Place {
        let attempts: Int
        let isFirst: Bool

        /// Whether a relay holds the lane.
        let isLeased: Bool

        /// Whether the lease covers the delivery.
        let isCovered: Bool
    }

    /// Makes the lane of a delivery due that waits for its next attempt, and returns whether it waited.
    func retry(_ id: PendingDelivery.ID, now: Date) throws -> Bool {
        try database.run(
            """
            UPDATE lane SET ready_at = max(1, ?1), since = ?1
            WHERE id = ?2 AND ready_at > ?1 AND ?3 = (SELECT min(position) FROM delivery WHERE lane = ?2)
                AND (token = 0 OR ?3 > begun) AND (?3 > 0 OR token > 0 OR unknown_name IS NOT NULL)
            """
        ) { statement in
            statement.bind(now.milliseconds)
            statement.bind(id.lane)
            statement.bind(id.position)
        }
        return database.changesCount == 1
    }

    /// Moves a delivery to the dead letters, and returns `false` if it is running or no longer exists.
    func cancel(_ id: PendingDelivery.ID, reason: String, now: Date) throws -> Bool {
        guard let place = try place(of: id, now: now.milliseconds), !(place.isLeased && place.isCovered) else {
            return false
        }
        let failure = Settlement.Failure(
            position: id.position, attempts: place.isFirst ? place.attempts : 0, reason: reason, date: now)
        try DeliveryWriter(database).moveToDeadLetters(failure, from: id.lane)
        try database.execute(
            sql: "DELETE FROM lane WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM delivery WHERE lane = ?1)",
            arguments: [id.lane])
        // Behind a running delivery, the lease stays valid.
        if !place.isLeased {
            try database.execute(sql: "UPDATE lane SET token = token + 1 WHERE id = ?", arguments: [id.lane])
        }
        if place.isFirst {
            try database.execute(
                sql: """
                    UPDATE lane SET attempts = 0, last_failure = NULL, unknown_name = NULL, unknown_version = NULL,
                        unknown_since = NULL, since = CASE WHEN ready_at > ?1 THEN ?1 ELSE since END,
                        ready_at = CASE WHEN ready_at > ?1 THEN max(1, ?1) ELSE ready_at END
                    WHERE id = ?2
                    """,
                arguments: [now.milliseconds, id.lane]
            )
        }
        return true
    }

    private func place(of id: PendingDelivery.ID, now: Int64) throws -> Place? {
        try database.withPreparedStatement(
            """
            SELECT attempts, position = head, ready_at > ?1 AND token > 0 AND head <= begun,
                position <= begun
            FROM lane JOIN delivery ON delivery.lane = lane.id
            JOIN (SELECT min(position) AS head FROM delivery WHERE lane = ?2)
            WHERE lane.id = ?2 AND position = ?3
            """
        ) { statement in
            statement.bind(now)
            statement.bind(id.lane)
            statement.bind(id.position)
            guard try statement.next() else { return nil }
            return Place(
                attempts: try statement.integer(0),
                isFirst: try statement.integer(1) != 0,
                isLeased: try statement.integer(2) != 0,
                isCovered: try statement.integer(3) != 0
            )
        }
    }
}
#endif
