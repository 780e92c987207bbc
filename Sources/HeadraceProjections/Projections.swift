// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
public import HeadraceDomain
import HeadraceRelay
public import HeadraceStorage
import Synchronization

#if Lifecycle
public import ServiceLifecycle
#endif

/// Keeps projections up to date with the log of a store, and reads them.
///
/// ```swift
/// let store = try InMemoryStore(entities: Projections.entities)
/// let projections = Projections(customerTotals, on: store, delegator: registrar)
/// ```
///
/// While ``run()`` runs, it applies each event of the log to each projection, in the order of the log. The changes of a batch of
/// events and the new position are one transaction, so each event takes effect exactly once, also after the process was killed.
/// Several processes may run on one store: each version of a projection is left to one of them at a time.
///
/// With the trait `Lifecycle`, it is a service of swift-service-lifecycle: a graceful shutdown finishes the current batch.
/// Without the trait, run it in a task and call ``shutDown()``.
///
/// <doc:ReadModels> describes versions, deployments, and limits.
public final class Projections: Sendable {
    private struct State {
        var hasRun = false
        var isRunning = false
    }

    /// The entities that the store of projections must be opened with.
    public static let entities: [any StoredEntity.Type] = [StoredProjection.self, StoredProjectionRow.self]

    private let runtime: ProjectionRuntime
    private let workers: [ProjectionWorker]
    private let state = Mutex(State())

    /// Creates projections on `store`.
    ///
    /// - Parameters:
    ///   - projections: The projections, each with a unique name.
    ///   - store: The store of the units of work whose events are applied. It must have been opened with ``entities``.
    ///   - delegator: Notifies the observers of units of work.
    ///   - configuration: The configuration.
    ///   - clock: The clock that is used to wait.
    ///   - wallClock: Returns the time that is stored with leases; `nil` for the clock of the store, or for the clock of this
    ///     machine if the store has none.
    public convenience init<each Row: ProjectionRow>(
        _ projections: repeat Projection<each Row>,
        on store: any DeliveryStore,
        delegator: any DomainEventDelegator,
        configuration: Configuration = Configuration(),
        clock: any TimeSource = CurrentClock(),
        wallClock: (@Sendable () -> Date)? = nil
    ) {
        self.init(
            ProjectionDefinition.all(repeat each projections),
            on: store,
            delegator: delegator,
            configuration: configuration,
            clock: clock,
            wallClock: wallClock
        )
    }

    init(
        _ definitions: [ProjectionDefinition],
        on store: any DeliveryStore,
        delegator: any DomainEventDelegator,
        configuration: Configuration,
        clock: any TimeSource,
        wallClock: (@Sendable () -> Date)?
    ) {
        let runtime = ProjectionRuntime(
            store: store,
            delegator: delegator,
            configuration: configuration,
            clock: clock,
            wallClock: wallClock ?? store.wallClock ?? { SystemValues.current.date() }
        )
        self.runtime = runtime
        workers = definitions.map { ProjectionWorker($0, runtime) }
    }

    /// The declared projections.
    var definitions: [ProjectionDefinition] { workers.map(\.definition) }

    /// The store of the projections.
    package var store: any DeliveryStore { runtime.store }

    // MARK: Running

    /// Applies events until it is shut down or the task is cancelled.
    ///
    /// A failure of the store, or an event that can't be applied, doesn't end it: it tries again after a pause, and
    /// ``status()`` has the reason.
    ///
    /// - Throws: ``ProjectionError`` with the code `invalidDeclarations` or `alreadyRunning`; ``HeadraceStorage/StoreError``
    ///   with the code `schemaChanged` if another version of the program has changed the store, so that this version must be
    ///   restarted.
    public func run() async throws {
        try state.withLock { state in
            if state.hasRun { throw ProjectionError.alreadyRunning }
            state.hasRun = true
        }
        defer { for worker in workers { worker.idleWaiters.end() } }
        let mistakes = ProjectionDefinition.mistakes(in: workers.map(\.definition), schema: runtime.store.schema)
        if !mistakes.isEmpty { throw ProjectionError.invalidDeclarations(mistakes) }
        state.withLock { $0.isRunning = true }
        defer { state.withLock { $0.isRunning = false } }
        #if Lifecycle
        await withGracefulShutdownHandler {
            await perform()
        } onGracefulShutdown: {
            self.shutDown()
        }
        #else
        await perform()
        #endif
        if let failure = runtime.failure { throw failure }
    }

    private func perform() async {
        await withTaskGroup { [runtime, workers] helpers in
            helpers.addTask { await runtime.forwardCommits() }
            await withTaskGroup { group in
                for worker in workers { group.addTask { await worker.run() } }
                // Without projections, the service runs nevertheless, because the end of a service ends its group.
                group.addTask { await runtime.untilClosed() }
            }
            helpers.cancelAll()
        }
    }

    /// Whether ``run()`` is running.
    public var isRunning: Bool { state.withLock(\.isRunning) }

    /// Ends ``run()`` after the current batches.
    public func shutDown() {
        runtime.close()
    }

    /// Returns when each projection has applied all events that were committed before the call.
    ///
    /// If ``run()`` doesn't run yet, the method waits until it does. It is meant for tests and for tools.
    ///
    /// - Throws: ``ProjectionError`` with the code `ended` if the projections end before, or the reason why a projection can't
    ///   apply an event; ``HeadraceStorage/StoreError`` if the store fails meanwhile, though the projections try again;
    ///   `CancellationError`.
    public nonisolated(nonsending) func untilCurrent() async throws {
        let end = try await runtime.store.deliveryStatistics().lastPosition
        for worker in workers {
            do {
                _ = try await worker.idleWaiters.wait(upTo: end) {
                    runtime.news.notify()
                    runtime.interruption.notify()
                }
            } catch is RelayError {
                throw ProjectionError.ended
            }
        }
    }

    // MARK: Reading

    /// Runs `body` with the rows of `projection` at one moment.
    ///
    /// ```swift
    /// let total = try await projections.read(customerTotals) { rows in try await rows.find(customerId) }
    /// ```
    ///
    /// The rows are those of the version of `projection`, if it has ever applied the whole log; before, they are those of the
    /// latest version that `projection` can read. They include all events up to ``ProjectionReader/position``, and no other
    /// event. Events are applied after their commit, so without `limit` the rows may lack the last ones.
    ///
    /// - Parameters:
    ///   - projection: The projection, which need not be declared in this process.
    ///   - limit: Maximum time to wait until the rows include all events that were committed before the call, also by other
    ///     processes; an earlier deadline of the message comes first. With `nil`, the default, the method doesn't wait. A process
    ///     that applies the events notices the commits of another one within its ``Configuration/pollInterval``.
    ///   - body: Reads the rows, on the actor of the caller. Later commits don't change them. Keep it short.
    /// - Returns: The result of `body`.
    /// - Throws: ``ProjectionError`` with the code `building` if no version can be read, or `behind` if the rows don't include
    ///   all events after `limit`; the error of `body`; ``HeadraceStorage/StoreError`` if the store can't be read;
    ///   `CancellationError`.
    public nonisolated(nonsending) func read<Row: ProjectionRow, Result>(
        _ projection: Projection<Row>,
        currentWithin limit: Duration? = nil,
        _ body: nonisolated(nonsending) (ProjectionReader<Row>) async throws -> Result
    ) async throws -> Result {
        let deadline = limit.map(runtime.deadline(after:))
        // The position that the rows must include; unknown before the first look at the log.
        var end: Int64 = limit == nil ? 0 : .max
        var attempt = 0
        while true {
            let changes = runtime.store.observable?.commitFeed.position
            var failure: ProjectionError?
            var position: Int64 = 0
            let result: Result? = try await runtime.store.read { context in
                let versions = try await context.fetch(StoredProjection.self, where: [.equals(.name, projection.name)])
                guard let stored = versions.readable(projection.version, from: projection.readableVersion) else {
                    failure = .building(
                        projection.name, version: projection.version, active: versions.active?.version)
                    return nil
                }
                position = stored.position
                if position < end { return nil }
                let documents = RowDocuments<Row>(context: context, version: stored.projectionVersion)
                return try await body(ProjectionReader(documents, position: position))
            }
            if let result { return result }
            if failure == nil {
                if try await runtime.store.events(after: position, limit: 1).isEmpty {
                    end = position
                    continue
                }
                if end == .max { end = try await runtime.store.deliveryStatistics().lastPosition }
            }
            guard let deadline, runtime.clock.now < deadline else {
                throw failure ?? .behind(projection.name, position: position, end: end)
            }
            attempt += 1
            try await runtime.waitForProgress(after: changes, attempt: attempt, until: deadline)
        }
    }

    /// Returns the progress of all versions of all projections, by name and version.
    ///
    /// It includes versions that other programs declare, and the declared versions that aren't stored yet.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func status() async throws -> [ProjectionStatus] {
        let versions = try await EntityContext(runtime.store).fetch(StoredProjection.self)
        let end = try await runtime.store.deliveryStatistics().lastPosition
        var statuses: [ProjectionStatus] = []
        for stored in versions {
            let active = versions.filter { $0.name == stored.name }.active?.version ?? 0
            let state: ProjectionStatus.State =
                stored.isRemoved
                ? .removing : !stored.isReady ? .building : stored.version == active ? .active : .retired
            statuses.append(
                try await status(of: stored.projectionVersion, state, position: stored.position, end: end)
            )
        }
        let known = Set(versions.map(\.projectionVersion))
        for version in workers.map(\.definition.version) where !known.contains(version) {
            statuses.append(try await status(of: version, .building, position: 0, end: end))
        }
        return statuses.sorted { ($0.name, $0.version) < ($1.name, $1.version) }
    }

    private nonisolated(nonsending) func status(
        of version: ProjectionVersion,
        _ state: ProjectionStatus.State,
        position: Int64,
        end: Int64
    ) async throws -> ProjectionStatus {
        let oldest = position < end ? try await runtime.store.events(after: position, limit: 1).first : nil
        let worker = workers.first { $0.definition.version == version }
        return ProjectionStatus(
            name: version.name,
            version: version.number,
            state: state,
            position: position,
            pendingCount: Int(max(0, end - position)),
            oldestPending: oldest?.event.recordedAt,
            isDeclared: worker != nil,
            failure: worker?.failure
        )
    }

    /// Removes all versions of a projection that no program declares any longer, with their rows.
    ///
    /// A process that still declares the projection builds it again.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`. Rows that were removed before the error stay removed.
    public nonisolated(nonsending) func remove(_ name: String) async throws {
        let versions = try await EntityContext(runtime.store).fetch(
            StoredProjection.self, where: [.equals(.name, name)])
        for version in versions {
            // A program that still declares it can build it again meanwhile, so it is closed once only.
            var isFirst = true
            while try await runtime.removeBatch(of: version.projectionVersion, if: { _ in isFirst }) { isFirst = false }
        }
    }
}

#if Lifecycle
extension Projections: Service {}
#endif

extension Projections {
    /// The configuration of projections; the defaults suit everyday use.
    public struct Configuration: Sendable {
        /// Maximum number of events that are applied in one transaction; 500 by default, at least 1.
        public var batchLimit = 500

        /// Time for which other processes leave a projection to the process that has applied events last; 5 seconds by default.
        ///
        /// Another process takes over after the end of a killed process in this time and one ``pollInterval`` at the latest.
        public var leaseDuration: Duration = .seconds(5)

        /// Interval of checks for commits of other processes; 1 second by default.
        ///
        /// Commits of this process are noticed at once.
        public var pollInterval: Duration = .seconds(1)

        /// Maximum fraction by which ``pollInterval`` is shortened at random, from 0 to 1; 0.2 by default.
        public var pollJitter = 0.2

        /// Back-off after a failure; by default from 200 milliseconds to 1 minute, each twice the pause before.
        public var backoff = Backoff(base: .milliseconds(200), factor: 2, longest: .seconds(60), jitter: 0.2)

        /// Time for which the rows of an earlier version are kept after the last process that declares it has ended; 1 hour by
        /// default.
        ///
        /// In this time, a program can return to the earlier version without building it again. The active version is kept
        /// for ever.
        public var versionRetention: Duration = .seconds(3_600)

        /// Creates the default configuration.
        public init() {}
    }
}

/// The progress of one version of a projection.
public struct ProjectionStatus: Hashable, Sendable {
    /// The state of a version.
    public struct State: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case building, active, retired, removing }

        private let kind: Kind

        /// The version has not applied the whole log yet, so queries can't read it.
        public static let building = State(kind: .building)

        /// The latest version that has applied the whole log.
        public static let active = State(kind: .active)

        /// A later version is active; programs that declare this version still read it.
        public static let retired = State(kind: .retired)

        /// The rows are being removed.
        public static let removing = State(kind: .removing)

        /// The name of the state: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// The name of the projection.
    public let name: String

    /// The version.
    public let version: Int

    /// The state of the version.
    public let state: State

    /// The position in the log of the last event that was applied or passed over; 0 before the first event.
    public let position: Int64

    /// Number of positions in the log after ``position``, including those of events that the projection doesn't apply.
    public let pendingCount: Int

    /// The time at which the oldest event after ``position`` was recorded; `nil` if there is none.
    public let oldestPending: Date?

    /// Whether this program declares the version.
    public let isDeclared: Bool

    /// The reason why this process can't apply the next event; `nil` if it can, or if it hasn't tried.
    public let failure: String?

    /// Whether queries can read the version: it is active or retired.
    public var isReady: Bool { state == .active || state == .retired }

    /// Returns the age of the oldest event that was not applied at `date`; zero if there is none.
    public func lag(at date: Date) -> Duration {
        // The clock of the process that recorded the event can be ahead.
        oldestPending.map { .seconds(max(0, date.timeIntervalSince($0))) } ?? .zero
    }
}
