// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import Foundation
public import HeadraceCore
public import HeadraceStorage
import Logging
import Synchronization

#if Lifecycle
public import ServiceLifecycle
#endif

/// Is notified of the outcome of deliveries, for example for an inspector or metrics.
///
/// An observer must not change anything and must return quickly, because it is called in the task that delivers. Each
/// method does nothing by default.
public protocol RelayObserver: Sendable {
    /// A handler has handled `delivery`.
    func delivered(_ delivery: Delivery)

    /// A handler has failed; the relay retries `delivery` at `date`.
    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date)

    /// `delivery` has become a dead letter.
    func deadLettered(_ delivery: Delivery, reason: String)

    /// The relay doesn't know the message of `delivery`, and has left it to a relay that does.
    ///
    /// At `until`, the message becomes a dead letter.
    func left(_ delivery: Delivery, reason: String, until: Date)

    /// `lease` is no longer valid: another relay has taken over its lane, or the lane was cancelled or replayed.
    ///
    /// Changes under the lease that were not stored before were refused.
    func leaseLost(_ lease: Lease)

    /// The store failed; the relay continues.
    func storeFailed(_ error: any Error)
}

extension RelayObserver {
    /// Does nothing.
    public func delivered(_ delivery: Delivery) {}

    /// Does nothing.
    public func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {}

    /// Does nothing.
    public func deadLettered(_ delivery: Delivery, reason: String) {}

    /// Does nothing.
    public func left(_ delivery: Delivery, reason: String, until: Date) {}

    /// Does nothing.
    public func leaseLost(_ lease: Lease) {}

    /// Does nothing.
    public func storeFailed(_ error: any Error) {}
}

/// Emits metrics about the deliveries of a relay and about what waits in its store.
///
/// ```swift
/// let metrics = RelayMetrics(store: store)
/// let relay = Relay(store: store, registrar: registrar, relayObservers: [metrics])
/// try await ServiceGroup(services: [server, relay, metrics], logger: logger).run()
/// ```
///
/// As an observer of a relay, it counts:
///
/// - `headrace.relay.deliveries` by `subscription` and `outcome`, which is `delivered`, `failed`, `dead_letter`, or `left`
///   (the relay doesn't know the message);
/// - `headrace.relay.leases.lost`;
/// - `headrace.relay.store.failures`.
///
/// While ``run()`` runs, it reads the statistics of the store at each interval, and sets these gauges by `subscription`:
///
/// - `headrace.relay.pending`, the number of deliveries that wait, are being handled, or are scheduled for later;
/// - `headrace.relay.lag`, the age of the oldest event that wasn't delivered, in seconds;
/// - `headrace.relay.dead_letters`, the number of dead letters;
/// - `headrace.relay.paused`, which is 1 while the subscription is paused, and 0 otherwise.
///
/// The number of distinct labels is limited by the number of subscriptions. For the durations of handlers, pass
/// ``HeadraceCore/MessageMetricsMiddleware`` to the relay.
public final class RelayMetrics: RelayObserver {
    private struct Key: Hashable {
        let subscription: String
        let outcome: String
    }

    private struct Gauges {
        let pending: Gauge
        let lag: Gauge
        let deadLetters: Gauge
        let paused: Gauge
    }

    private struct State {
        var deliveries: [Key: Counter] = [:]
        var gauges: [String: Gauges] = [:]
    }

    private let store: any DeliveryStore
    private let interval: Duration
    private let factory: any MetricsFactory
    private let clock: any TimeSource
    private let wallClock: @Sendable () -> Date
    private let lostLeases: Counter
    private let storeFailures: Counter
    private let state = Mutex(State())

    /// Creates metrics about the deliveries of `store`.
    ///
    /// - Parameters:
    ///   - store: The store of the relay.
    ///   - interval: The time between two readings of the statistics. A reading counts the rows of all waiting deliveries.
    ///   - factory: The factory that creates the metrics. Bootstrap the metrics system before you use the default.
    ///   - clock: The clock that the interval is measured on.
    ///   - wallClock: Returns the current time, for the age of events.
    public init(
        store: any DeliveryStore,
        interval: Duration = .seconds(15),
        factory: any MetricsFactory = MetricsSystem.factory,
        clock: any TimeSource = CurrentClock(),
        wallClock: @escaping @Sendable () -> Date = { SystemValues.current.date() }
    ) {
        self.store = store
        self.interval = interval
        self.factory = factory
        self.clock = clock
        self.wallClock = wallClock
        lostLeases = Counter(label: "headrace.relay.leases.lost", factory: factory)
        storeFailures = Counter(label: "headrace.relay.store.failures", factory: factory)
    }

    // MARK: Gauges

    /// Sets the gauges at once and then at each interval, until the task is cancelled or the service group shuts down.
    ///
    /// If the store can't be read, the gauges keep their values, and `headrace.relay.store.failures` counts it.
    public func run() async {
        await StatusReader(interval: interval, clock: clock).run {
            self.set(try await self.store.deliveryStatistics())
        } onFailure: { [storeFailures] error in
            storeFailures.increment()
            Logger.current.warning("The statistics of the store can't be read", metadata: ["error": "\(error)"])
        }
    }

    private func set(_ statistics: DeliveryStatistics) {
        let now = wallClock()
        for subscription in statistics.subscriptions {
            let gauges = gauges(of: subscription.name)
            gauges.pending.record(subscription.pendingCount)
            // The clock of the process that recorded the event can be ahead of the clock of this process.
            gauges.lag.record(subscription.oldestPending.map { max(0, now.timeIntervalSince($0)) } ?? 0)
            gauges.deadLetters.record(subscription.deadLetterCount)
            gauges.paused.record(subscription.pausedSince == nil ? 0 : 1)
        }
    }

    private func gauges(of subscription: String) -> Gauges {
        state.withLock { state in
            if let gauges = state.gauges[subscription] { return gauges }
            let dimensions = [("subscription", subscription)]
            let gauges = Gauges(
                pending: Gauge(label: "headrace.relay.pending", dimensions: dimensions, factory: factory),
                lag: Gauge(label: "headrace.relay.lag", dimensions: dimensions, factory: factory),
                deadLetters: Gauge(label: "headrace.relay.dead_letters", dimensions: dimensions, factory: factory),
                paused: Gauge(label: "headrace.relay.paused", dimensions: dimensions, factory: factory)
            )
            state.gauges[subscription] = gauges
            return gauges
        }
    }

    // MARK: Counters

    /// Counts a delivery with the outcome `delivered`.
    public func delivered(_ delivery: Delivery) {
        count(delivery, "delivered")
    }

    /// Counts a delivery with the outcome `failed`.
    public func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        count(delivery, "failed")
    }

    /// Counts a delivery with the outcome `dead_letter`.
    public func deadLettered(_ delivery: Delivery, reason: String) {
        count(delivery, "dead_letter")
    }

    /// Counts a delivery with the outcome `left`.
    public func left(_ delivery: Delivery, reason: String, until: Date) {
        count(delivery, "left")
    }

    /// Counts a lost lease.
    public func leaseLost(_ lease: Lease) {
        lostLeases.increment()
    }

    /// Counts a failure of the store.
    public func storeFailed(_ error: any Error) {
        storeFailures.increment()
    }

    private func count(_ delivery: Delivery, _ outcome: String) {
        let key = Key(subscription: delivery.subscription, outcome: outcome)
        let counter = state.withLock { state in
            if let counter = state.deliveries[key] { return counter }
            let counter = Counter(
                label: "headrace.relay.deliveries",
                dimensions: [("subscription", key.subscription), ("outcome", outcome)],
                factory: factory
            )
            state.deliveries[key] = counter
            return counter
        }
        counter.increment()
    }
}

#if Lifecycle
extension RelayMetrics: Service {}
#endif

/// Emits metrics about the commits of a store.
///
/// Set it as the `commitObserver` of the configuration of a `SQLiteStore` or a `PostgresStore`.
///
/// After each transaction, it updates:
///
/// - `headrace.store.commits`, the number of units of work, by `outcome`, which is `stored` or `failed`;
/// - `headrace.store.batch.size`, the number of units of work in the transaction;
/// - `headrace.store.queue`, the number of units of work that wait for a later transaction;
/// - `headrace.store.wait`, the longest time for which one of them has waited for the transaction to begin;
/// - `headrace.store.transaction`, the time of the transaction, with its waits for locks and for the disk.
///
/// The times are recorded in nanoseconds.
public struct CommitMetrics: CommitObserver {
    private let stored: Counter
    private let failed: Counter
    private let size: Recorder
    private let queue: Gauge
    private let wait: CoreMetrics.Timer
    private let transaction: CoreMetrics.Timer

    /// Creates metrics.
    ///
    /// - Parameters:
    ///   - store: The value of the dimension `store`, for a program with several stores; `nil` for no dimension.
    ///   - factory: The factory that creates the metrics. Bootstrap the metrics system before you use the default.
    public init(store: String? = nil, factory: any MetricsFactory = MetricsSystem.factory) {
        let dimensions = store.map { [("store", $0)] } ?? []
        let label = "headrace.store."
        stored = Counter(label: label + "commits", dimensions: dimensions + [("outcome", "stored")], factory: factory)
        failed = Counter(label: label + "commits", dimensions: dimensions + [("outcome", "failed")], factory: factory)
        size = Recorder(label: label + "batch.size", dimensions: dimensions, aggregate: true, factory: factory)
        queue = Gauge(label: label + "queue", dimensions: dimensions, factory: factory)
        wait = CoreMetrics.Timer(
            label: label + "wait", dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory)
        transaction = CoreMetrics.Timer(
            label: label + "transaction", dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory)
    }

    /// Updates the metrics.
    public func committed(_ batch: CommitBatchStatistics) {
        if batch.storedCount > 0 { stored.increment(by: batch.storedCount) }
        if batch.failedCount > 0 { failed.increment(by: batch.failedCount) }
        size.record(batch.count)
        queue.record(batch.waitingCount)
        wait.recordNanoseconds(batch.wait.nanoseconds)
        transaction.recordNanoseconds(batch.duration.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, at most the largest `Int64`.
    fileprivate var nanoseconds: Int64 { Int64(clamping: Int128(attoseconds) / 1_000_000_000) }
}

/// Reads a status at once and then at each interval, for gauges.
package struct StatusReader: Sendable {
    private let interval: Duration
    private let clock: any TimeSource

    /// Creates a reader; `interval` is measured on `clock`.
    package init(interval: Duration, clock: any TimeSource) {
        self.interval = interval
        self.clock = clock
    }

    /// Calls `read` until the task is cancelled or the service group shuts down; `onFailure` receives its errors.
    package func run(
        _ read: @escaping @Sendable () async throws -> Void,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) async {
        #if Lifecycle
        await cancelWhenGracefulShutdown { await readUntilCancelled(read, onFailure: onFailure) }
        #else
        await readUntilCancelled(read, onFailure: onFailure)
        #endif
    }

    private func readUntilCancelled(
        _ read: @Sendable () async throws -> Void,
        onFailure: @Sendable (any Error) -> Void
    ) async {
        while !Task.isCancelled {
            let next = clock.now.advanced(by: interval)
            do {
                try await read()
            } catch is CancellationError {
                return
            } catch {
                onFailure(error)
            }
            try? await clock.sleep(until: next, tolerance: nil)
        }
    }
}
