// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Logging
import Synchronization

// Workers: handle the deliveries of a lane, one after the other.
extension RelaySession {
    /// Releases the deliveries that no handler has begun.
    func endWork() {
        let batches = state.withLock { state in
            state.isClosing = true
            return state.takeQueue()
        }
        for batch in batches { release(batch[...]) }
        work.notify()
        settled.notify()
    }

    func handleUntilEnd() async {
        while true {
            let seen = work.position
            let (batch, isClosing) = state.withLock { ($0.nextBatch(), $0.isClosing) }
            if let batch {
                await handle(batch)
                state.withLock { $0.end(batch) }
                // A lane of the same subscription can run now, and a suspect, too.
                if !configuration.subscriptionConcurrency.isEmpty { work.notify() }
                if relay.idleWaiters.lastTicket != nil { news.notify() }
            } else if isClosing || Task.isCancelled {
                return
            } else {
                try? await work.wait(after: seen)
            }
        }
    }

    /// Handles the deliveries of one lane, one after the other, until a delivery fails.
    func handle(_ batch: [Delivery]) async {
        for (index, delivery) in batch.enumerated() {
            guard mayHandle(delivery) else { return stop(batch[index...]) }
            let isLast = index == batch.count - 1
            let end: Settlement.End? = isLast ? .finished(now: relay.wallClock()) : nil
            if delivery.attempt > max(1, configuration.maximumAttempts) {
                deadLetter(
                    delivery,
                    attempts: delivery.attempt - 1,
                    reason: "The last attempt ended with its process, or without an outcome. No attempt is left.",
                    end: end
                )
                continue
            }
            if countsBeforehand(delivery), await !count(delivery) { return stop(batch[index...]) }

            let settlement = delivery.settlement(acknowledged: [delivery.position], end: end)
            let result = await relay.handle(delivery, settlement: state.withLock { $0.beginHandling(settlement) })
            let (isNews, isLost) = state.withLock { state in
                (state.endHandling(delivery.lease, isSettled: result.isSettled), state.isLost(delivery.lease))
            }
            if isNews { report(lost: delivery.lease) }
            if isLost, !result.isSettled { return giveBack(delivery.lease) }

            switch result {
            case .handled:
                for observer in observers { observer.delivered(delivery) }
                settle(settlement)
            case .settled:
                // If it was the last delivery, the commit has ended the lease, so there is room for another lane.
                if isLast { news.notify() }
                for observer in observers { observer.delivered(delivery) }
            case .failed(let error):
                if (error as? StoreError)?.isFinal == true, await !isStoreUsable() { return release(batch[index...]) }
                if delivery.attempt < configuration.maximumAttempts { return retry(delivery, after: error) }
                deadLetter(delivery, attempts: delivery.attempt, reason: "\(error)", end: end)
            case .undeliverable(let reason):
                deadLetter(delivery, attempts: delivery.attempt, reason: reason, end: end)
            case .unknown(let message):
                guard let reason = reasonForDeadLetter(delivery, message) else { return leave(delivery, message) }
                deadLetter(delivery, attempts: delivery.attempt - 1, reason: reason, end: end)
            case .leaseLost:
                if state.withLock({ $0.markLost(delivery.lease) }) { report(lost: delivery.lease) }
                return giveBack(delivery.lease)
            case .cancelled:
                return release(batch[index...])
            }
        }
    }

    /// Whether the relay can go on using its store; otherwise the relay ends.
    ///
    /// A handler can fail because another store can't be used any longer, but only the failure of the relay's own is no attempt.
    private func isStoreUsable() async -> Bool {
        do {
            _ = try await store.deliveryStatistics()
        } catch let error as StoreError where error.isFinal {
            report(storeFailure: error)
            return false
        } catch {}
        return true
    }

    /// Whether the handler of `delivery` may still begin.
    ///
    /// It may not begin if the subscription is paused, nor past the end of its lease: if this process was suspended, another
    /// process may have handled the rest of the lane since, and an older event must not follow a newer event.
    func mayHandle(_ delivery: Delivery) -> Bool {
        let now = relay.clock.now
        let isHeld = state.withLock { $0.mayBegin(delivery.subscription) && $0.isValid(delivery.lease, at: now) }
        return isHeld && !Task.isCancelled
    }

    /// Whether the attempt must count before the handler runs, so that it counts even if it ends the process.
    ///
    /// Counting costs a transaction. The first attempt doesn't count beforehand, because almost all first attempts
    /// succeed: if the process ends, the next lease says that the handler may have run, and the attempts from then on
    /// count.
    func countsBeforehand(_ delivery: Delivery) -> Bool {
        delivery.mayHaveRun || delivery.attempt > 1 || configuration.maximumAttempts <= 1
    }

    /// Waits until the attempt at `delivery` counts in the store; returns whether its handler may begin.
    ///
    /// All workers that wait for this share a transaction. The transaction also stores the outcomes of earlier
    /// deliveries, so that no other delivery of the lane lacks its outcome while the handler runs.
    func count(_ delivery: Delivery) async -> Bool {
        settle(delivery.settlement(attempts: delivery.attempt))
        while true {
            let seen = settled.position
            guard mayHandle(delivery) else { return false }
            if state.withLock({ $0.pending(delivery.lease) == nil }) { return true }
            try? await settled.wait(after: seen)
        }
    }
}
