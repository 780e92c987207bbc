// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// Records which parts of a store the commits change, and notifies tasks that wait for a change.
///
/// It keeps only the position of the last change of each subject. A store makes one for itself and records each of its
/// commits after the commit has taken effect.
public final class CommitFeed: Sendable {
    /// Part of a store that a commit can change.
    public enum Subject: Hashable, Sendable {
        /// The entities of a kind.
        case entities(String)

        /// The log of events.
        case events
    }

    private struct State {
        var position = 0
        var lastChanges: [Subject: Int] = [:]
        var lastChangeOfAll = 0
        var waiters = WaiterQueue<Set<Subject>?, Void>()

        /// Whether a commit after `position` has changed one of `subjects`, or anything if it is `nil`.
        func hasChanged(_ subjects: Set<Subject>?, after position: Int) -> Bool {
            guard let subjects else { return self.position > position }
            return lastChangeOfAll > position || subjects.contains { lastChanges[$0, default: 0] > position }
        }
    }

    private let state = Mutex(State())

    /// Creates a feed without commits.
    public init() {}

    /// Number of commits so far.
    public var position: Int { state.withLock { $0.position } }

    /// Records a commit that changed `subjects`, or possibly everything if `subjects` is `nil`.
    public func recordCommit(of subjects: Set<Subject>?) {
        let resumptions = state.withLock { state in
            state.position += 1
            guard let subjects else {
                state.lastChangeOfAll = state.position
                return state.waiters.endAll(with: .success(()))
            }
            for subject in subjects { state.lastChanges[subject] = state.position }
            return state.waiters.endAll(with: .success(())) { !($0?.isDisjoint(with: subjects) ?? false) }
        }
        for resumption in resumptions { resumption.resume() }
    }

    /// Waits until a commit after `position` has changed one of `subjects`, and returns at once if one already has.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func waitForChange(of subjects: Set<Subject>, after position: Int) async throws {
        try Task.checkCancellation()
        try await request(subjects, after: position)?.value()
    }

    /// Waits until there is a commit after `position`, and returns at once if there already is one.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func waitForCommit(after position: Int) async throws {
        try Task.checkCancellation()
        try await request(nil, after: position)?.value()
    }

    /// Whether a commit after `position` has changed one of `subjects`.
    package func hasChanged(_ subjects: Set<Subject>, after position: Int) -> Bool {
        state.withLock { $0.hasChanged(subjects, after: position) }
    }

    /// Returns a waiter for a change of `subjects`, or of anything if it is `nil`; `nil` if there is one after `position`.
    func request(_ subjects: Set<Subject>?, after position: Int) -> Waiter<Void>? {
        state.withLock { state in
            state.hasChanged(subjects, after: position) ? nil : state.waiters.append(subjects)
        }
    }
}

extension ChangeSet {
    /// The parts of the store that the changes affect.
    public var subjects: Set<CommitFeed.Subject> {
        let kinds = writes.map(\.document.reference.kind) + deletions.map(\.reference.kind)
        let subjects = Set(kinds.map { CommitFeed.Subject.entities($0) })
        return events.isEmpty ? subjects : subjects.union([.events])
    }
}

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

    /// The clock at the opening of the store, because a transaction may begin in a task or a thread without the ``SystemValues`` of
    /// the task that commits.
    private let clock: any TimeSource

    package init?(_ observer: (any CommitObserver)?) {
        guard let observer else { return nil }
        self.observer = observer
        clock = SystemValues.current.clock
    }

    /// The current time.
    package var now: ContinuousClock.Instant { clock.now }

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
