//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Postgres
import Synchronization

/// The last new lane of each subscription that this store has leased.
///
/// Lanes have ascending numbers and are leased in this order, so the search for new lanes begins behind it. Otherwise, it
/// would read the index entries of all lanes that are done but not vacuumed yet, for example while a report has a
/// snapshot open.
///
/// A replay makes old lanes new again, so the database counts replays, and ignores hints from before. For a server that
/// has lost its last transactions in a failover, hints are forgotten after some seconds.
final class LeaseHints: Sendable {
    private struct State {
        var lanes: [String: Int64] = [:]
        var replays: Int64 = -1
        var start = ContinuousClock.now
    }

    /// Time until all hints are forgotten.
    private static let lifetime = Duration.seconds(10)

    private let state = Mutex(State())

    /// Returns the hints for `subscriptions`, 0 without one, and the number of replays for which they are valid.
    func read(_ subscriptions: [String]) -> (lanes: [Int64?], replays: Int64) {
        state.withLock { state in
            if ContinuousClock.now > state.start + Self.lifetime { state = State() }
            return (subscriptions.map { state.lanes[$0] ?? 0 }, state.replays)
        }
    }

    /// Notes the new lanes among the leased `rows`.
    func note(_ rows: PostgresRows, of subscriptions: [String]) throws {
        if rows.count == 0 { return }
        try state.withLock { state in
            for row in rows.rows {
                let replays = try row.integer(LeaseProcedure.replaysColumn)
                if replays != state.replays {
                    state = State()
                    state.replays = replays
                }
                guard try row.flag(LeaseProcedure.isNewColumn) else { continue }
                let subscription = subscriptions[Int(try row.integer(2)) - 1]
                state.lanes[subscription] = max(state.lanes[subscription] ?? 0, try row.integer(0))
            }
        }
    }
}
#endif
