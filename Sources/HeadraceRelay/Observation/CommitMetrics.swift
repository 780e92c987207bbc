// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import HeadraceStorage

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
