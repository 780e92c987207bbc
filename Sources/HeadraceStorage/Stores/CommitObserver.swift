// SPDX-License-Identifier: Apache-2.0

/// An object that is notified of the commits of a store, such as `CommitMetrics`.
///
/// A store calls it on the thread or in the task that commits, so it must be fast.
public protocol CommitObserver: Sendable {
    /// Called after each transaction, before the callers of its commits continue.
    func committed(_ batch: CommitBatchStatistics)
}

/// The statistics of one transaction of a store, which units of work that commit at the same time share (group commit).
public struct CommitBatchStatistics: Hashable, Sendable {
    /// Number of units of work that were stored.
    public let storedCount: Int

    /// Number of units of work that failed.
    public let failedCount: Int

    /// Number of units of work that wait for a later transaction.
    public let waitingCount: Int

    /// The longest time for which one of the units of work has waited for its transaction to begin.
    public let wait: Duration

    /// The time of the transaction, with its wait for locks and for the disk.
    public let duration: Duration

    /// Number of units of work.
    public var count: Int { storedCount + failedCount }

    /// Creates statistics, for stores.
    public init(storedCount: Int, failedCount: Int, waitingCount: Int, wait: Duration, duration: Duration) {
        self.storedCount = storedCount
        self.failedCount = failedCount
        self.waitingCount = waitingCount
        self.wait = wait
        self.duration = duration
    }
}

/// Measures the commits of a store for its observer.
package struct CommitMeter: Sendable {
    private let observer: any CommitObserver

    package init?(_ observer: (any CommitObserver)?) {
        guard let observer else { return nil }
        self.observer = observer
    }

    /// The current time.
    package var now: ContinuousClock.Instant { ContinuousClock.now }

    /// Reports a transaction.
    ///
    /// - Parameters:
    ///   - outcomes: The outcomes of the units of work.
    ///   - queued: The time at which the first of them began to wait.
    ///   - begin: The time at which the transaction began.
    ///   - waitingCount: Number of units of work that wait for a later transaction.
    package func report(
        _ outcomes: [Result<Void, any Error>],
        queued: ContinuousClock.Instant?,
        begin: ContinuousClock.Instant,
        waitingCount: Int
    ) {
        let failedCount = outcomes.count { if case .failure = $0 { true } else { false } }
        observer.committed(
            CommitBatchStatistics(
                storedCount: outcomes.count - failedCount,
                failedCount: failedCount,
                waitingCount: waitingCount,
                wait: queued.map { $0.duration(to: begin) } ?? .zero,
                duration: begin.duration(to: now)
            )
        )
    }
}
