//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Logging
import Synchronization

/// One run of a relay: a pump that leases, workers that handle, one that settles and one that renews.
///
/// ``RelayState`` decides; this waits, asks the store, and calls handlers.
final class RelaySession: Sendable {
    private let relay: Relay
    private let state: Mutex<RelayState>

    /// Tells the pump that there may be something to lease, or room for it.
    private let news = DeliverySignal()

    /// Tells workers that there is something to handle, or nothing any more.
    private let work = DeliverySignal()

    /// Tells the one that settles that there is something to settle, or nothing any more.
    private let settling = DeliverySignal()

    /// Tells the one that settles not to pause any longer, as all workers have ended.
    private let ending = DeliverySignal()

    /// Tells workers that settlements are stored, or that a lease is lost.
    private let settled = DeliverySignal()

    init(_ relay: Relay) {
        self.relay = relay
        state = Mutex(RelayState())
    }

    private var configuration: Relay.Configuration { relay.configuration }
    private var store: any DeliveryStore { relay.store }

    /// Has ``perform()`` end once what is being handled is.
    func close() {
        state.withLock { $0.isClosing = true }
        news.notify()
        work.notify()
        settled.notify()
    }

    /// Delivers until ``close()``, or until the task is cancelled.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `schemaChanged` when the store can't be used any longer.
    func perform() async throws {
        // Before the first lease: what is committed after that lease must be noticed, however late the helper begins.
        let seen = store.deliverySignal.position
        await withTaskGroup { helpers in
            helpers.addTask { await self.forwardSignal(after: seen) }
            helpers.addTask { await self.renewAndPrune() }
            await withTaskGroup { group in
                group.addTask { await self.settleUntilEnd() }
                await withTaskGroup { workers in
                    for _ in 0..<max(1, configuration.concurrency) {
                        workers.addTask { await self.handleUntilEnd() }
                    }
                    await pump()
                    endWork()
                }
                state.withLock { $0.isSettlingLast = true }
                settling.notify()
                ending.notify()
            }
            helpers.cancelAll()
        }
        if let failure = state.withLock(\.failure) { throw failure }
    }

    // MARK: Leasing

    private func forwardSignal(after position: UInt64) async {
        var seen = position
        while let _ = try? await store.deliverySignal.wait(after: seen) {
            seen = store.deliverySignal.position
            news.notify()
        }
    }

    private func pump() async {
        var subscriptions = relay.registrar.subscriptionNames + [ScheduledMessage.subscription]
        let known = relay.knownMessages()
        var generator = SystemRandomNumberGenerator()
        var failures = 0
        while !Task.isCancelled, !state.withLock(\.isClosing) {
            let seen = news.position
            let start = relay.clock.now
            let polled = 1 - configuration.pollJitter * Double.random(in: 0..<1, using: &generator)
            var pause = configuration.pollInterval * polled
            let room = configuration.laneLimit - state.withLock(\.heldCount)
            if room > 0 {
                do {
                    let leased = try await lease(room, subscriptions, known)
                    failures = 0
                    if leased.lanes.count == room { continue }
                    if let due = leased.nextDue {
                        let wait = due.timeIntervalSince(relay.wallClock())
                        pause = min(pause, .seconds(max(0.001, wait)))
                    }
                } catch {
                    failures += 1
                    report(storeFailure: error)
                    pause = configuration.backoff.pause(afterAttempt: failures, using: &generator)
                }
                // Whoever came first comes last the next time.
                subscriptions.append(subscriptions.removeFirst())
            }
            await wait(for: news, after: seen, until: start.advanced(by: pause))
        }
    }

    private func lease(
        _ room: Int,
        _ subscriptions: [String],
        _ known: [String: [KnownMessage]]
    ) async throws -> LeasedDeliveries {
        let end = relay.clock.now.advanced(by: configuration.leaseDuration)
        let leased = try await store.lease(
            LeaseRequest(
                subscriptions: subscriptions,
                laneLimit: room,
                // If there is only one attempt, it counts before the handler runs, and that works for the first of a lane.
                runLimit: configuration.maximumAttempts > 1 ? max(1, configuration.runLimit) : 1,
                now: relay.wallClock(),
                duration: configuration.leaseDuration,
                known: known
            )
        )
        if !leased.lanes.isEmpty {
            state.withLock { $0.enqueue(leased.lanes, until: end) }
            work.notify()
        }
        return leased
    }

    /// Returns when `signal` was given after `position`, at `deadline`, or when the task is cancelled.
    private func wait(
        for signal: DeliverySignal,
        after position: UInt64,
        until deadline: ContinuousClock.Instant
    ) async {
        let clock = relay.clock
        await withTaskGroup { group in
            group.addTask { try? await signal.wait(after: position) }
            group.addTask { try? await clock.sleep(until: deadline, tolerance: nil) }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Handling

    /// Hands back what nobody has begun.
    private func endWork() {
        let runs = state.withLock { state in
            state.isClosing = true
            return state.takeQueue()
        }
        for run in runs { handBack(run[...]) }
        work.notify()
        settled.notify()
    }

    private func handleUntilEnd() async {
        while true {
            let seen = work.position
            let (run, isClosing) = state.withLock { ($0.nextRun(), $0.isClosing) }
            if let run {
                await handle(run)
                state.withLock { $0.end(run) }
            } else if isClosing || Task.isCancelled {
                return
            } else {
                try? await work.wait(after: seen)
            }
        }
    }

    /// Handles the deliveries of one lane, one after the other, up to one that fails.
    private func handle(_ run: [Delivery]) async {
        for (index, delivery) in run.enumerated() {
            guard mayHandle(delivery) else { return stop(run[index...]) }
            let isLast = index == run.count - 1
            let end: Settlement.End? = isLast ? .finished(now: relay.wallClock()) : nil
            if delivery.attempt > max(1, configuration.maximumAttempts) {
                giveUp(
                    delivery,
                    attempts: delivery.attempt - 1,
                    reason: "The last attempt ended with its process, or without an outcome, and none is left.",
                    end: end
                )
                continue
            }
            if countsBeforehand(delivery), await !count(delivery) { return stop(run[index...]) }

            let settlement = Settlement(lease: delivery.lease, acknowledged: [delivery.position], end: end)
            let verdict = await relay.handle(delivery, settlement: state.withLock { $0.beginHandling(settlement) })
            let (isNews, isLost) = state.withLock { state in
                (state.endHandling(delivery.lease, isSettled: verdict.isSettled), state.isLost(delivery.lease))
            }
            if isNews { report(lost: delivery.lease) }
            if isLost, !verdict.isSettled { return release(delivery.lease) }

            switch verdict {
            case .handled:
                for observer in relay.observers { observer.delivered(delivery) }
                settle(settlement)
            case .settled:
                // If it was the last one, the commit has ended the lease, so there is room for another lane.
                if isLast { news.notify() }
                for observer in relay.observers { observer.delivered(delivery) }
            case .failed(let error):
                if delivery.attempt < configuration.maximumAttempts { return retry(delivery, after: error) }
                giveUp(delivery, attempts: delivery.attempt, reason: "\(error)", end: end)
            case .undeliverable(let reason):
                giveUp(delivery, attempts: delivery.attempt, reason: reason, end: end)
            case .unknown(let message):
                guard let reason = reasonToGiveUp(delivery, message) else { return leave(delivery, message) }
                giveUp(delivery, attempts: delivery.attempt - 1, reason: reason, end: end)
            case .leaseLost:
                if state.withLock({ $0.lose(delivery.lease) }) { report(lost: delivery.lease) }
                return release(delivery.lease)
            case .cancelled:
                return handBack(run[index...])
            }
        }
    }

    /// Whether the handler of `delivery` may still begin.
    ///
    /// Not past the end of its lease: if the process stood still, another one may have handled the rest of the lane since, and
    /// an older event must not follow a newer one.
    private func mayHandle(_ delivery: Delivery) -> Bool {
        let now = relay.clock.now
        let isHeld = state.withLock { !$0.isClosing && $0.isValid(delivery.lease, at: now) }
        return isHeld && !Task.isCancelled
    }

    /// Whether the attempt must count before the handler runs, so that it counts even if it ends the process.
    ///
    /// That costs a transaction. The first attempt doesn't count beforehand, because almost all first attempts succeed: if the
    /// process ends, the next lease says that the handler may have run, and the attempts from then on count.
    private func countsBeforehand(_ delivery: Delivery) -> Bool {
        delivery.mayHaveRun || delivery.attempt > 1 || configuration.maximumAttempts <= 1
    }

    /// Returns when the attempt at `delivery` counts in the store, or when its handler must not begin; tells whether it may.
    ///
    /// All workers that wait for this share a transaction. It also holds what was handled before, so that nothing else of
    /// the lane is without its outcome while the handler runs.
    private func count(_ delivery: Delivery) async -> Bool {
        settle(Settlement(lease: delivery.lease, attempts: delivery.attempt))
        while true {
            let seen = settled.position
            guard mayHandle(delivery) else { return false }
            if state.withLock({ $0.pending(delivery.lease) == nil }) { return true }
            try? await settled.wait(after: seen)
        }
    }

    private func retry(_ delivery: Delivery, after error: any Error) {
        var generator = SystemRandomNumberGenerator()
        let now = relay.wallClock()
        var date = now.advanced(
            by: configuration.backoff.pause(afterAttempt: delivery.attempt, using: &generator)
        )
        if let earliest = (error as? any RetryableError)?.earliestRetry {
            date = max(date, now.advanced(by: relay.clock.now.duration(to: earliest)))
        }
        Logger.current.notice(
            "Handling an event failed and will be tried again",
            metadata: delivery.metadata.merging(["error": "\(error)"]) { $1 }
        )
        for observer in relay.observers { observer.failed(delivery, error, retryAt: date) }
        settle(Settlement(lease: delivery.lease, attempts: delivery.attempt, end: .retry(at: date, now: now)))
    }

    /// When a relay first didn't know the message of `delivery`.
    private func unknownSince(_ delivery: Delivery) -> Date {
        let now = relay.wallClock()
        return min(delivery.unknownSince ?? now, now)
    }

    /// The reason for which an unknown message is a dead letter, or `nil` if it may wait.
    private func reasonToGiveUp(_ delivery: Delivery, _ message: Unknown) -> String? {
        let grace = configuration.unknownEventGrace
        if unknownSince(delivery).advanced(by: grace) > relay.wallClock() { return nil }
        return grace > .zero ? "For \(grace), no process has known the message. \(message.reason)" : message.reason
    }

    /// Ends the lease of a lane whose next message this relay doesn't know; no attempt counts.
    private func leave(_ delivery: Delivery, _ message: Unknown) {
        let since = unknownSince(delivery)
        let until = since.advanced(by: configuration.unknownEventGrace)
        Logger.current.notice(
            "A message is unknown to this process, and is left for a process that knows it",
            metadata: delivery.metadata.merging(["reason": "\(message.reason)", "headrace.relay.until": "\(until)"]) {
                $1
            }
        )
        for observer in relay.observers { observer.left(delivery, reason: message.reason, until: until) }
        let end = Settlement.End.unknown(
            name: message.name,
            version: message.version,
            since: since,
            until: until,
            now: relay.wallClock()
        )
        // An earlier lease that ended without an outcome is remembered as one attempt.
        let attempts = delivery.mayHaveRun ? max(1, delivery.attempt - 1) : delivery.attempt - 1
        settle(Settlement(lease: delivery.lease, attempts: attempts, end: end))
    }

    private func giveUp(_ delivery: Delivery, attempts: Int, reason: String, end: Settlement.End?) {
        Logger.current.error(
            "An event could not be delivered and is a dead letter now",
            metadata: delivery.metadata.merging(["error": "\(reason)"]) { $1 }
        )
        for observer in relay.observers { observer.deadLettered(delivery, reason: reason) }
        let failure = Settlement.Failure(
            position: delivery.position,
            attempts: attempts,
            reason: reason,
            date: relay.wallClock()
        )
        settle(Settlement(lease: delivery.lease, failures: [failure], end: end))
    }

    /// Ends the handling of a lane before `run`, none of which has an outcome.
    private func stop(_ run: ArraySlice<Delivery>) {
        guard let lease = run.first?.lease else { return }
        if state.withLock({ $0.isLost(lease) }) { release(lease) } else { handBack(run) }
    }

    /// Ends the lease of `run`, whose handlers have not run or were cancelled; no attempt counts.
    private func handBack(_ run: ArraySlice<Delivery>) {
        guard let first = run.first else { return }
        let now = relay.wallClock()
        // If an earlier lease ended without an outcome, the store keeps that in mind.
        let end: Settlement.End = first.mayHaveRun ? .finished(now: now) : .handedBack(now: now)
        settle(Settlement(lease: first.lease, attempts: first.attempt - 1, end: end))
    }

    /// Forgets a lease that has ended in the store.
    private func release(_ lease: Lease) {
        state.withLock { $0.release(lease) }
        news.notify()
    }

    // MARK: Settling

    private func settle(_ settlement: Settlement) {
        state.withLock { $0.add(settlement) }
        settling.notify()
    }

    /// Settles what has come up, all at once, and again; cancelled or not, as what was handled is to be known.
    private func settleUntilEnd() async {
        var failures = 0
        var generator = SystemRandomNumberGenerator()
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
                // At the end the leases end by themselves, and somebody handles again what was handled.
                if isLast { return }
                let pause = configuration.backoff.pause(afterAttempt: failures, using: &generator)
                await wait(for: ending, after: 0, until: relay.clock.now.advanced(by: pause))
            }
        }
    }

    // MARK: Renewing, pruning

    private func renewAndPrune() async {
        var nextPruning = relay.wallClock()
        let interval = configuration.leaseDuration / 3
        while let _ = try? await relay.clock.sleep(
            until: relay.clock.now.advanced(by: interval),
            tolerance: nil
        ) {
            do {
                try await renew()
                if relay.wallClock() >= nextPruning {
                    nextPruning = relay.wallClock().advanced(by: configuration.pruneInterval)
                    try await prune()
                }
            } catch {
                report(storeFailure: error)
            }
        }
    }

    private func renew() async throws {
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

    private func prune() async throws {
        let now = relay.wallClock()
        let request = PruneRequest(
            eventsBefore: configuration.eventRetention.map { now.advanced(by: .zero - $0) },
            idempotencyRecordsBefore: now.advanced(by: .zero - configuration.idempotencyRetention)
        )
        while !Task.isCancelled, try await store.prune(request) >= request.limit {}
    }

    // MARK: Reporting

    private func report(lost lease: Lease) {
        Logger.current.warning(
            "A lease was lost; what was done under it and not stored is refused",
            metadata: ["headrace.relay.lane": "\(lease.lane)", "headrace.relay.token": "\(lease.token)"]
        )
        for observer in relay.observers { observer.leaseLost(lease) }
    }

    private func report(storeFailure error: any Error) {
        if error is CancellationError { return }
        Logger.current.warning("The relay cannot use its store and tries again", metadata: ["error": "\(error)"])
        for observer in relay.observers { observer.storeFailed(error) }
        // Nothing that this relay holds can be stored any more.
        if let error = error as? StoreError, error.code == .schemaChanged {
            state.withLock { $0.failure = $0.failure ?? error }
            close()
        }
    }
}

extension Delivery {
    fileprivate var metadata: Logger.Metadata {
        let (name, id) =
            switch content {
            case .event(let record): (record.event.name, record.event.id.uuidString)
            case .scheduled(let message): (message.name, message.id.uuidString)
            case .missing: ("", "")
            }
        return [
            "headrace.relay.subscription": "\(subscription)",
            "headrace.relay.event": "\(name)",
            "headrace.relay.id": "\(id)",
            "headrace.relay.attempt": "\(attempt)",
        ]
    }
}
