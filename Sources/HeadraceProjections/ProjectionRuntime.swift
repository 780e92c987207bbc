// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import Synchronization

/// The parts that the workers of all projections of one program share.
final class ProjectionRuntime: Sendable {
    private struct State {
        var isClosing = false
        var failure: StoreError?
    }

    let store: any DeliveryStore
    let delegator: any DomainEventDelegator
    let configuration: Projections.Configuration
    let clock: any TimeSource
    private let wallClock: @Sendable () -> Date

    /// The time for decisions that can't be undone.
    let steadyClock: SteadyClock

    /// Identifies this program among the programs on the store.
    let program = UUID.version7()

    /// Notifies workers that the log may have new events, or that they must end.
    let news = DeliverySignal()

    /// Notifies workers that pause after a failure that they must end, or that a caller waits for them.
    let interruption = DeliverySignal()

    private let state = Mutex(State())

    init(
        store: any DeliveryStore,
        delegator: any DomainEventDelegator,
        configuration: Projections.Configuration,
        clock: any TimeSource,
        wallClock: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.delegator = delegator
        self.configuration = configuration
        self.clock = clock
        self.wallClock = wallClock
        steadyClock = SteadyClock(wallClock, clock: clock)
    }

    /// The time to the millisecond, as it is stored.
    var now: Date { Date(milliseconds: wallClock().milliseconds) }

    var isClosing: Bool { state.withLock(\.isClosing) }

    /// The failure that ended the workers.
    var failure: StoreError? { state.withLock(\.failure) }

    func close(because failure: StoreError? = nil) {
        state.withLock { state in
            state.isClosing = true
            state.failure = state.failure ?? failure
        }
        news.notify()
        interruption.notify()
    }

    /// Executes `body` in a unit of work whose changes can be computed again after a power failure.
    nonisolated(nonsending) func execute<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        let context = EntityContext(store, durability: .relaxed)
        return try await UnitOfWork(delegator: delegator, context: context).execute(body)
    }

    /// Notifies the workers of the commits of this process, until the task is cancelled.
    func forwardCommits() async {
        if let feed = store.observable?.commitFeed {
            var seen = feed.position
            news.notify()
            while let _ = try? await feed.waitForChange(of: [.events], after: seen) {
                seen = feed.position
                news.notify()
            }
        } else {
            var seen = store.deliverySignal.position
            news.notify()
            while let _ = try? await store.deliverySignal.wait(after: seen) {
                seen = store.deliverySignal.position
                news.notify()
            }
        }
    }

    /// Returns when `signal` advances past `position`, at `deadline`, or when the task is cancelled.
    func wait(for signal: DeliverySignal, after position: UInt64, until deadline: ContinuousClock.Instant) async {
        await withTaskGroup { [clock] group in
            group.addTask { try? await signal.wait(after: position) }
            group.addTask { try? await clock.sleep(until: deadline, tolerance: nil) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns the instant at which a caller that can wait for `limit` gives up.
    func deadline(after limit: Duration) -> ContinuousClock.Instant {
        let end = clock.now.advanced(by: limit)
        return MessageContext.currentDeadline.map { min($0, end) } ?? end
    }

    /// Waits until a projection may have applied more events, at most until `deadline`.
    ///
    /// A store may tell about commits of this process only. So the progress of a projection that runs elsewhere is asked for after
    /// pauses, which become longer.
    ///
    /// - Parameters:
    ///   - position: The position of the store's commit feed before the caller has looked; `nil` if it has none.
    ///   - attempt: Number of the caller's looks.
    ///   - deadline: The instant at which the caller gives up.
    /// - Throws: `CancellationError`.
    nonisolated(nonsending) func waitForProgress(
        after position: Int?,
        attempt: Int,
        until deadline: ContinuousClock.Instant
    ) async throws {
        // A worker of this process may not have noticed the events of another process yet.
        news.notify()
        let pauses = Backoff(base: .milliseconds(5), longest: .milliseconds(200), jitter: 0)
        var numbers = SystemValues.current.randomNumbers
        let pause = pauses.pause(afterAttempt: attempt, using: &numbers)
        let end = min(deadline, clock.now.advanced(by: pause))
        await withTaskGroup { [clock, store] group in
            if let position, let feed = store.observable?.commitFeed {
                group.addTask {
                    try? await feed.waitForChange(of: [.entities(StoredProjection.entityName)], after: position)
                }
            }
            group.addTask { try? await clock.sleep(until: end, tolerance: nil) }
            await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// Returns when the runtime closes, or when the task is cancelled.
    func untilClosed() async {
        while !Task.isCancelled {
            let seen = interruption.position
            if isClosing { return }
            try? await interruption.wait(after: seen)
        }
    }

    // MARK: Removal

    /// Closes a version for queries if `condition` holds; if it is closed, deletes a batch of its rows, and then the version.
    ///
    /// Several programs may do so at the same time, also while another one builds the version again. Each deletion changes the
    /// version or deletes it, so it fails if another program has changed it meanwhile, and everything is read again.
    ///
    /// - Returns: Whether there is more to delete.
    nonisolated(nonsending) func removeBatch(
        of version: ProjectionVersion,
        if condition: (StoredProjection) -> Bool
    ) async throws -> Bool {
        while true {
            do {
                return try await execute { context in
                    // Before the rows: rows that another program inserts after this are never deleted.
                    guard let stored = try await context.find(StoredProjection.self, id: version.text) else {
                        return false
                    }
                    if !stored.isRemoved {
                        if !condition(stored) { return false }
                        stored.remove()
                        return true
                    }
                    let rows = try await context.fetch(
                        StoredProjectionRow.self,
                        where: [.equals(.version, version.text)],
                        limit: max(1, configuration.batchLimit)
                    )
                    for row in rows { context.delete(row) }
                    if rows.isEmpty { context.delete(stored) } else { stored.noteRemovedRows() }
                    return !rows.isEmpty
                }
            } catch let error as StoreError where error.isWriteConflict {
                try Task.checkCancellation()
            }
        }
    }
}

extension StoreError {
    /// Whether another program has written the same entities.
    var isWriteConflict: Bool { code == .versionConflict || code == .alreadyExists }
}
