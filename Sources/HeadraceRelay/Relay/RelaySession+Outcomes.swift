// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Logging
import Synchronization

// The outcomes of deliveries: each becomes a settlement.
extension RelaySession {
    func retry(_ delivery: Delivery, after error: any Error) {
        var generator = SystemValues.current.randomNumbers
        let now = relay.wallClock()
        var date = now.advanced(
            by: configuration.backoff.pause(afterAttempt: delivery.attempt, using: &generator)
        )
        if let earliest = (error as? any RetryableError)?.earliestRetry {
            date = max(date, now.advanced(by: relay.clock.now.duration(to: earliest)))
        }
        let attemptsLeft = configuration.maximumAttempts - delivery.attempt
        Logger.current.log(
            level: delivery.attempt * 4 < configuration.maximumAttempts ? .notice : .warning,
            "A handler failed; the relay will retry the delivery",
            metadata: delivery.metadata.merging([
                "error": "\(error)",
                "headrace.relay.attempts.left": "\(attemptsLeft)",
                "headrace.relay.retry": "\(date)",
            ]) { $1 }
        )
        for observer in observers { observer.failed(delivery, error, retryAt: date) }
        settle(
            delivery.settlement(
                attempts: delivery.attempt,
                end: .retry(at: date, now: now),
                reason: "\(error)"
            )
        )
    }

    /// The time at which a relay first didn't know the message of `delivery`.
    func unknownSince(_ delivery: Delivery) -> Date {
        let now = steadyClock.now
        return min(delivery.unknownSince ?? now, now)
    }

    /// The reason why an unknown message must become a dead letter, or `nil` if it may wait.
    func reasonForDeadLetter(_ delivery: Delivery, _ message: UnknownMessage) -> String? {
        let grace = configuration.unknownEventGrace
        // In milliseconds, as in the store, which otherwise would lease the lane again and again within a millisecond.
        if unknownSince(delivery).advanced(by: grace).milliseconds > steadyClock.now.milliseconds { return nil }
        return grace > .zero ? "For \(grace), no program has known the message. \(message.reason)" : message.reason
    }

    /// Ends the lease of a lane whose next message this relay doesn't know; no attempt counts.
    func leave(_ delivery: Delivery, _ message: UnknownMessage) {
        let since = unknownSince(delivery)
        let now = relay.wallClock()
        let end = since.advanced(by: configuration.unknownEventGrace)
        // If the wall clock has jumped, its time can be later, and the store would lease the lane again at once.
        let until = end > now ? end : now.advanced(by: configuration.pollInterval)
        Logger.current.notice(
            "A message is unknown to this program and waits for a program that knows it",
            metadata: delivery.metadata.merging(["reason": "\(message.reason)", "headrace.relay.until": "\(until)"]) {
                $1
            }
        )
        for observer in observers { observer.left(delivery, reason: message.reason, until: until) }
        let unknown = Settlement.End.unknown(
            name: message.name,
            version: message.version,
            since: since,
            until: until,
            now: now
        )
        // An earlier lease that ended without an outcome counts as one attempt.
        let attempts = delivery.mayHaveRun ? max(1, delivery.attempt - 1) : delivery.attempt - 1
        settle(delivery.settlement(attempts: attempts, end: unknown))
    }

    func deadLetter(_ delivery: Delivery, attempts: Int, reason: String, end: Settlement.End?) {
        Logger.current.error(
            "An event could not be delivered and has become a dead letter",
            metadata: delivery.metadata.merging(["error": "\(reason)"]) { $1 }
        )
        for observer in observers { observer.deadLettered(delivery, reason: reason) }
        let failure = Settlement.Failure(
            position: delivery.position,
            attempts: attempts,
            reason: reason,
            date: relay.wallClock()
        )
        settle(delivery.settlement(failures: [failure], end: end))
    }

    /// Ends the handling of a lane before `batch`; no delivery of `batch` has an outcome.
    func stop(_ batch: ArraySlice<Delivery>) {
        guard let lease = batch.first?.lease else { return }
        if state.withLock({ $0.isLost(lease) }) { giveBack(lease) } else { release(batch) }
    }

    /// Ends the lease of `batch`, whose handlers haven't run or were cancelled; no attempt counts.
    func release(_ batch: ArraySlice<Delivery>) {
        guard let first = batch.first else { return }
        let now = relay.wallClock()
        // If an earlier lease ended without an outcome, the store keeps that mark.
        let end: Settlement.End = first.mayHaveRun ? .finished(now: now) : .released(now: now)
        settle(first.settlement(attempts: first.attempt - 1, end: end))
    }

    /// Forgets a lease that the store has refused, and ends it in case that it is still valid.
    func giveBack(_ lease: Lease) {
        let now = relay.wallClock()
        state.withLock { $0.giveBack(lease, now: now) }
        settling.notify()
        news.notify()
    }
}

extension Delivery {
    /// Returns a settlement of this delivery, or of the lane from this delivery on: all earlier deliveries have outcomes.
    func settlement(
        acknowledged: [Int64] = [],
        failures: [Settlement.Failure] = [],
        attempts: Int? = nil,
        end: Settlement.End? = nil,
        reason: String? = nil
    ) -> Settlement {
        Settlement(
            lease: lease,
            firstPosition: position,
            acknowledged: acknowledged,
            failures: failures,
            attempts: attempts,
            end: end,
            reason: reason
        )
    }

    fileprivate var metadata: Logger.Metadata {
        let message = content.message
        return [
            "headrace.relay.subscription": "\(subscription)",
            "headrace.relay.event": "\(message?.name ?? "")",
            "headrace.relay.id": "\(message?.id.uuidString ?? "")",
            "headrace.relay.attempt": "\(attempt)",
        ]
    }
}

// Settling: stores the outcomes of all lanes together.
extension RelaySession {
    func settle(_ settlement: Settlement) {
        state.withLock { $0.add(settlement) }
        settling.notify()
    }

    /// Stores all waiting settlements together, again and again, even if cancelled, because outcomes must be stored.
    func settleUntilEnd() async {
        var failures = 0
        var generator = SystemValues.current.randomNumbers
        while true {
            let seen = settling.position
            let (settlements, isLast) = state.withLock { ($0.takeSettlements(), $0.isSettlingLast) }
            if settlements.isEmpty {
                if isLast { return }
                await settling.waitRegardless(after: seen)
                continue
            }
            do {
                let refused = try await store.settle(settlements)
                failures = 0
                let lost = state.withLock { $0.endSettling(refused: refused) }
                for lease in lost { report(lost: lease) }
                settled.notify()
                news.notify()
            } catch {
                failures += 1
                report(storeFailure: error)
                state.withLock { $0.putBack() }
                // At the end, the leases expire, and another relay repeats the deliveries.
                if isLast { return }
                let pause = configuration.backoff.pause(afterAttempt: failures, using: &generator)
                if Task.isCancelled {
                    // A cancelled task doesn't wait for a time. The last attempt follows the last worker.
                    await ending.waitRegardless(after: 0)
                } else {
                    await wait(for: ending, after: 0, until: relay.clock.now.advanced(by: pause))
                }
            }
        }
    }
}
