// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Logging
import Synchronization

// Leasing: asks the store for lanes while there is room.
extension RelaySession {
    func forwardSignal(after position: UInt64) async {
        var seen = position
        while let _ = try? await store.deliverySignal.wait(after: seen) {
            seen = store.deliverySignal.position
            news.notify()
        }
    }

    func pump() async {
        var subscriptions = relay.registrar.subscriptionNames + [ScheduledMessage.subscription]
        let known = relay.knownMessages()
        var generator = SystemValues.current.randomNumbers
        var failures = 0
        var isPrepared = false
        var latest = Date.distantPast
        while true {
            // Before the flag is read. Otherwise `close()` between the two would be missed.
            let seen = news.position
            if Task.isCancelled || state.withLock(\.isClosing) { return }
            let start = relay.clock.now
            let polled = 1 - configuration.pollJitter * Double.random(in: 0..<1, using: &generator)
            var pause = configuration.pollInterval * polled
            let room = configuration.laneLimit - state.withLock(\.heldCount)
            if room > 0 {
                do {
                    // Schedules may wait for a time that the clock has told too early.
                    let now = relay.wallClock()
                    if now.advanced(by: configuration.leaseDuration) < latest { isPrepared = false }
                    latest = now
                    if !isPrepared {
                        try await relay.prepare()
                        isPrepared = true
                    }
                    // Only this task leases, so a session that is idle here remains so if the store has nothing to lease.
                    let ticket = relay.idleWaiters.lastTicket
                    let isIdle = ticket != nil && state.withLock(\.isIdle)
                    let (count, isFull, nextDue) = try await lease(room, subscriptions, known)
                    failures = 0
                    if let ticket, isIdle, count == 0 {
                        relay.idleWaiters.resume(through: ticket, nextDue: nextDue)
                    }
                    if isFull { continue }
                    if let due = nextDue {
                        let wait = due.timeIntervalSince(relay.wallClock())
                        pause = min(pause, .seconds(max(0.001, wait)))
                    }
                } catch {
                    failures += 1
                    report(storeFailure: error)
                    pause = configuration.backoff.pause(afterAttempt: failures, using: &generator)
                }
                // Rotate, so that the first subscription is the last one in the next request.
                subscriptions.append(subscriptions.removeFirst())
            }
            await wait(for: news, after: seen, until: start.advanced(by: pause))
        }
    }

    /// Leases lanes of all subscriptions; each subscription with a limit has a request of its own.
    ///
    /// - Returns: The number of leased lanes; whether the store may have more lanes that are due and that this relay has
    ///   room for; and the time at which the next lane becomes due.
    private func lease(
        _ room: Int,
        _ subscriptions: [String],
        _ known: [String: [KnownMessage]]
    ) async throws -> (count: Int, isFull: Bool, nextDue: Date?) {
        let limits = configuration.subscriptionConcurrency
        var left = room
        var dates: [Date] = []
        for subscription in subscriptions {
            guard let limit = limits[subscription] else { continue }
            let share = state.withLock { $0.room(for: subscription, limit: limit, in: left) }
            // Without room, the request only asks whether the subscription is paused.
            let leased = try await lease(share, of: [subscription], known)
            left -= leased.lanes.count
            if share > 0, let date = leased.nextDue { dates.append(date) }
        }
        let unlimited = limits.isEmpty ? subscriptions : subscriptions.filter { limits[$0] == nil }
        if left == 0 { return (room, true, nil) }
        let leased = try await lease(left, of: unlimited, known)
        if let date = leased.nextDue { dates.append(date) }
        return (room - left + leased.lanes.count, leased.lanes.count == left, dates.min())
    }

    private func lease(
        _ room: Int,
        of subscriptions: [String],
        _ known: [String: [KnownMessage]]
    ) async throws -> LeasedDeliveries {
        let end = relay.clock.now.advanced(by: configuration.leaseDuration)
        let leased = try await store.lease(
            LeaseRequest(
                subscriptions: subscriptions,
                laneLimit: room,
                // If there is only one attempt, it must count before the handler runs, which is possible only for the
                // first delivery of a lane.
                batchLimit: configuration.maximumAttempts > 1 ? max(1, configuration.batchLimit) : 1,
                now: relay.wallClock(),
                duration: configuration.leaseDuration,
                known: known
            )
        )
        let paused = state.withLock { state in
            let paused = state.note(paused: leased.paused, of: subscriptions)
            state.enqueue(leased.lanes, until: end)
            return paused
        }
        for batch in paused { release(batch[...]) }
        if !leased.lanes.isEmpty { work.notify() }
        return leased
    }
}

// Renewal of leases, and pruning of rows that are no longer needed.
extension RelaySession {
    func renewAndPrune() async {
        _ = steadyClock.now
        var nextPruning = relay.clock.now
        let interval = configuration.leaseDuration / 3
        while let _ = try? await relay.clock.sleep(
            until: relay.clock.now.advanced(by: interval),
            tolerance: nil
        ) {
            do {
                try await renew()
                if relay.clock.now >= nextPruning {
                    nextPruning = relay.clock.now.advanced(by: configuration.pruneInterval)
                    try await prune()
                }
            } catch {
                report(storeFailure: error)
            }
        }
    }

    func renew() async throws {
        let leases = state.withLock { $0.leases }
        if leases.isEmpty { return }
        let end = relay.clock.now.advanced(by: configuration.leaseDuration)
        let refused = try await store.renew(leases, until: relay.wallClock().advanced(by: configuration.leaseDuration))
        let lost = state.withLock { state in
            state.extend(Set(leases).subtracting(refused), until: end)
            return refused.filter { state.refuseRenewal(of: $0) }
        }
        for lease in lost { report(lost: lease) }
        if lost.isEmpty { return }
        settled.notify()
        news.notify()
    }

    func prune() async throws {
        let now = steadyClock.now
        let request = PruneRequest(
            eventsBefore: configuration.eventRetention.map { now.advanced(by: .zero - $0) },
            idempotencyRecordsBefore: now.advanced(by: .zero - configuration.idempotencyRetention)
        )
        while !Task.isCancelled, try await store.prune(request) >= request.limit {}
    }
}
