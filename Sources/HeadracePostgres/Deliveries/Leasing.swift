//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Postgres
import Foundation
import HeadraceStorage

/// Leases lanes and reads their deliveries.
struct Leasing: Sendable {
    /// Maximum number of lanes in a request, because the positions in an array are numbers of 32 bits.
    private static let mostLanes = 1_000_000

    let session: Session
    let hints: LeaseHints

    func lease(_ request: LeaseRequest, checksClocks: Bool) async throws -> LeasedDeliveries {
        var known: [(subscription: Int64, message: KnownMessage)] = []
        for (index, name) in request.subscriptions.enumerated() {
            known += (request.known[name] ?? []).map { (Int64(index + 1), $0) }
        }
        let subscriptions = PostgresValue.byteStrings(request.subscriptions.map { [UInt8]($0) })
        let now = request.now.milliseconds
        let end = request.now.advanced(by: request.duration).milliseconds
        let hint = hints.read(request.subscriptions)
        let rows = try await session.run(
            LeaseProcedure.call,
            [
                subscriptions, .integer(Int64(min(max(0, request.laneLimit), Self.mostLanes))),
                .integer(Int64(request.batchLimit)),
                .integer(now), .integer(max(1, end)), .integer(end), .flag(checksClocks),
                .integers(known.map(\.subscription)), .byteStrings(known.map { [UInt8]($0.message.name) }),
                .integers(known.map { Int64($0.message.versions.lowerBound) }),
                .integers(known.map { Int64($0.message.versions.upperBound) }),
                .integers(hint.lanes), .integer(hint.replays),
            ]
        )
        try hints.note(rows, of: request.subscriptions)
        var leased = LeasedDeliveries()
        for row in rows.rows {
            let delivery = try delivery(row, of: request, after: leased.lanes.last?.last)
            if leased.lanes.last?.last?.lease == delivery.lease {
                leased.lanes[leased.lanes.count - 1].append(delivery)
            } else {
                leased.lanes.append([delivery])
            }
        }
        async let next = session.run(LeaseProcedure.nextDue, [subscriptions, .integer(now)])
        if !leased.lanes.isEmpty {
            // A handler can have effects outside of the database, so its event must not be lost any longer.
            _ = try await session.run("SELECT pg_logical_emit_message(true, 'headrace', '') IS NULL")
        }
        let states = try await next.rows
        leased.nextDue = states.compactMap { $0.optionalInteger(0) }.min().map(Date.init(milliseconds:))
        leased.paused = Set(states.compactMap { $0.optionalText(1) })
        // A process that began a replay may have ended.
        for name in states.compactMap({ $0.optionalText(2) }) {
            do {
                if try await Replaying(session: session).advance(name, waits: false) != nil {
                    leased.nextDue = request.now
                }
            } catch  where !leased.lanes.isEmpty {
                // The leased lanes would wait for the end of their leases. The next request tries again.
                continue
            }
        }
        return leased
    }

    private func delivery(_ row: PostgresRow, of request: LeaseRequest, after last: Delivery?) throws -> Delivery {
        let lease = Lease(lane: try row.integer(0), token: try row.integer(1))
        let isFirst = lease != last?.lease
        return Delivery(
            lease: lease,
            position: try row.integer(6),
            subscription: request.subscriptions[Int(try row.integer(2)) - 1],
            attempt: isFirst ? Int(try row.integer(3)) + 1 : 1,
            mayHaveRun: try row.flag(4),
            unknownSince: isFirst ? row.optionalInteger(5).map(Date.init(milliseconds:)) : nil,
            isReplay: try row.flag(7),
            content: try DocumentRows.content(row, from: 8)
        )
    }
}
#endif
