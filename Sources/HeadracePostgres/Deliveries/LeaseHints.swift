// SPDX-License-Identifier: Apache-2.0

#if Postgres
import HeadraceStorage
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

    /// Notes the new lanes among `lanes`, whose leases are on the disk of the server.
    func note(_ lanes: [Leasing.Lane], of subscriptions: [String], replays: Int64) {
        state.withLock { state in
            if replays != state.replays {
                state = State()
                state.replays = replays
            }
            for lane in lanes where lane.isNew {
                let subscription = subscriptions[lane.subscription]
                state.lanes[subscription] = max(state.lanes[subscription] ?? 0, lane.lease.lane)
            }
        }
    }
}
#endif
