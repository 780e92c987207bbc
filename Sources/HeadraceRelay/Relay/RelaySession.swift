// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Logging
import Synchronization

/// One run of a relay: a pump that leases, workers that handle, a settler, and a renewer.
///
/// ``RelayState`` makes the decisions. The session waits, calls the store, and runs handlers.
final class RelaySession: Sendable {
    let relay: Relay
    let observers: [any RelayObserver]

    /// The time for decisions that can't be undone.
    let steadyClock: SteadyClock
    let state: Mutex<RelayState>

    /// Notifies the pump that there may be lanes to lease, or room for them.
    let news = DeliverySignal()

    /// Notifies workers that there are deliveries to handle, or that there will be none.
    let work = DeliverySignal()

    /// Notifies the settler that there are settlements, or that there will be none.
    let settling = DeliverySignal()

    /// Notifies the settler that all workers have ended, so it must not pause any longer.
    let ending = DeliverySignal()

    /// Notifies workers that settlements are stored, or that a lease is lost.
    let settled = DeliverySignal()

    init(_ relay: Relay) {
        self.relay = relay
        observers = relay.observers
        steadyClock = SteadyClock(relay.wallClock, clock: relay.clock)
        state = Mutex(RelayState(limits: relay.configuration.subscriptionConcurrency))
    }

    var configuration: Relay.Configuration { relay.configuration }
    var store: any DeliveryStore { relay.store }

    /// Ends ``perform()`` once the running handlers have ended.
    func close() {
        state.withLock { $0.isClosing = true }
        news.notify()
        work.notify()
        settled.notify()
    }

    /// Delivers until ``close()``, or until the task is cancelled.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `schemaChanged`, `newerSchema`, or `closed` if the store can't be used
    ///   any longer.
    func perform() async throws {
        // Before the first lease, so that commits after that lease are noticed, however late the child task begins.
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

    /// Returns when `signal` advances past `position`, at `deadline`, or when the task is cancelled.
    func wait(
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

    // MARK: Reporting

    func report(lost lease: Lease) {
        Logger.current.warning(
            "A lease was lost; changes under it that are not stored yet will be refused",
            metadata: ["headrace.relay.lane": "\(lease.lane)", "headrace.relay.token": "\(lease.token)"]
        )
        for observer in observers { observer.leaseLost(lease) }
    }

    func report(storeFailure error: any Error) {
        if error is CancellationError { return }
        let isFinal = (error as? StoreError)?.isFinal == true
        if isFinal {
            Logger.current.error("The relay can't use its store any longer and ends", metadata: ["error": "\(error)"])
        } else {
            Logger.current.warning("The relay can't use its store and will try again", metadata: ["error": "\(error)"])
        }
        for observer in observers { observer.storeFailed(error) }
        relay.idleWaiters.fail(error)
        // Nothing that this relay holds can be stored any longer.
        if isFinal, let error = error as? StoreError {
            state.withLock { $0.failure = $0.failure ?? error }
            close()
        }
    }
}
