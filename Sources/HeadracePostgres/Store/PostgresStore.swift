// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
public import HeadraceDomain
public import HeadraceStorage
import Synchronization

/// A store in a schema of a PostgreSQL database, which any number of processes and machines share.
///
/// Every commit is on the server's disk when ``commit(_:)`` returns. All writers of a schema commit one after the other,
/// so each reader of the log sees the events in the order of their positions. Concurrent commits of a process share a
/// call. The first opening creates the schema and its tables.
///
/// The server must be PostgreSQL 15 or later, with a database in the encoding UTF8. Keys, names of streams and
/// subscriptions, and indexed texts have at most 1,000 bytes. For a pooler in transaction mode, see
/// ``Configuration/isPooled``.
public final class PostgresStore: ObservableStore {
    /// The optional settings of a store.
    public struct Configuration: Sendable {
        /// Name of the schema that has the tables, `headrace` by default.
        ///
        /// Several stores can share a database in different schemas.
        public var schema = "headrace"

        /// Time until an attempt to connect to one host fails, rounded up to seconds; 10 seconds by default.
        ///
        /// `connect_timeout` in the URL has priority.
        public var connectTimeout: Duration = .seconds(10)

        /// Time that a change waits for a lock that another session holds, 10 seconds by default.
        ///
        /// After this time it fails with `StoreError.Code.locked`.
        public var lockTimeout: Duration = .seconds(10)

        /// Time that opening waits for other programs that it would lock out, 0 by default.
        ///
        /// Programs can share a schema unless one has a later schema version of a type, or other properties of an index. The
        /// later program locks out the earlier one. If one still has the schema open after this time, opening fails with
        /// `StoreError.Code.inUse` before anything is changed. `nil` locks it out. Programs behind a
        /// pooler aren't seen.
        public var replacementTimeout: Duration? = .zero

        /// Time until a connection is cut because the server doesn't answer, 60 seconds by default.
        public var answerTimeout: Duration = .seconds(60)

        /// Time to learn the outcome of a commit whose answer is lost, 30 seconds by default.
        ///
        /// After this time the commit fails with `StoreError.Code.outcomeUnknown`.
        public var outcomeTimeout: Duration = .seconds(30)

        /// Number of connections for reads, at least 1; 2 by default.
        ///
        /// A store has four other connections: two for commits, one for deliveries, and one for notifications. Each open
        /// snapshot has another one, and ``lockerCount`` limits the connections for locks.
        public var readerCount = 2

        /// Maximum number of connections for units of work that lock entities, at least 1; 4 by default.
        ///
        /// A unit of work has one from its first lock until it ends. The connections are made with their first use.
        public var lockerCount = 4

        /// Whether a pooler in transaction mode, such as pgbouncer, is between the store and the server; `false` by
        /// default.
        ///
        /// Then each transaction can be on another connection of the server. The store keeps no settings, prepared
        /// statements, or locks beyond a transaction, and doesn't receive notifications: relays and live queries look
        /// for the commits of other processes at their poll interval.
        ///
        /// The database must have its default isolation level, `read committed`, and commits that wait for the disk.
        /// Opening fails otherwise. The pooler needs at least two connections to the server for each store, and ``lockerCount``
        /// more if its units of work lock entities.
        public var isPooled = false

        /// Is notified of each transaction of units of work, such as `CommitMetrics`; `nil` by default.
        public var commitObserver: (any CommitObserver)?

        /// Is called at each fault point, on the threads of tasks; `nil` by default.
        ///
        /// For crash tests, which end or stop the process there: see `CrashFaults` of `HeadraceTesting`.
        public var faults: (@Sendable (FaultPoint) -> Void)?

        /// Creates the default configuration.
        public init() {}
    }

    /// The entity types that the store was opened with.
    public let schema: EntitySchema

    /// Signals after each commit of a store on the schema that adds deliveries.
    public let deliverySignal = DeliverySignal()

    /// Records the commits of this store immediately, and commits of others when their notifications arrive.
    public let commitFeed = CommitFeed()

    let mapper: PostgresErrorMapper
    let deliveries: SessionSlot
    let notifier: CommitNotifier
    let clockRepairTimer = ClockRepairTimer()
    let leaseHints = LeaseHints()
    let clock = ServerClock()
    let faults: (@Sendable (FaultPoint) -> Void)?
    let target: SessionTarget
    let lockers: LockSessions
    private let thread: PollingThread
    private let commits: [SessionSlot]
    private let readers: [SessionSlot]
    let check: SchemaCheck
    private let queue: CommitQueue
    private let listener: CommitListener
    private let writer = UUID()
    private let nextReader = Atomic(0)

    /// The last batch that ``noticeOtherCommits()`` has seen, of any store.
    private let lastBatch = Mutex<Int64?>(nil)

    /// Opens the store in a database, and creates its schema and tables if they don't exist.
    ///
    /// Opening creates the indexes that are newly declared. If the schema version of a type is raised, opening removes all
    /// indexes of that type and builds those that are declared. Processes that open a schema at the same time wait for
    /// each other.
    ///
    /// New types of entity, and indexes that are added or no longer declared, don't affect other programs that have the
    /// store open: each program keeps its own indexes, and its queries include the documents that others write. An index
    /// that is no longer declared stays in the database until the schema version of the type is raised.
    ///
    /// A program with an earlier schema version, or with an index of the same name and other properties, can't share the
    /// schema. Opening fails while such a program has it open, unless ``Configuration/replacementTimeout`` says otherwise.
    /// Once it is locked out, its queries and commits fail with the code `schemaChanged`.
    ///
    /// Related documentation: <https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>.
    ///
    /// - Parameters:
    ///   - url: A connection URL or a connection string of libpq. It can name several hosts, and all parameters of libpq,
    ///     for example `sslmode` and `target_session_attrs=read-write`.
    ///   - schema: The types of entity.
    ///   - configuration: The settings.
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `unreachable` if the server doesn't answer; `unusable` if it
    ///   refuses the connection, or the database doesn't fit; `newerSchema` if a later version has written the schema;
    ///   `inUse` if opening would lock out another program; `uniqueViolation` if stored entities violate a new unique index.
    public init(url: String, schema: EntitySchema, configuration: Configuration = Configuration()) async throws {
        self.schema = schema
        let mapper = PostgresErrorMapper(schema: configuration.schema)
        let target = try SessionTarget(url: url, configuration: configuration, mapper: mapper)
        self.mapper = mapper
        self.target = target
        faults = configuration.faults
        let thread = try await mapper.translating { try PollingThread() }
        self.thread = thread
        let connect: @Sendable () async throws -> Session = { try await Session.connect(target, on: thread) }
        commits = (0..<2).map { _ in SessionSlot(connect: connect) }
        deliveries = SessionSlot(connect: connect)
        lockers = LockSessions(
            count: max(1, configuration.lockerCount), timeout: configuration.lockTimeout, connect: connect)
        readers = (0..<max(1, configuration.readerCount)).map { _ in SessionSlot(connect: connect) }
        do {
            let (numbers, state) = try await mapper.translating { [commits, deliveries] in
                try await StoreOpening(
                    target: target, schema: schema, mapper: mapper,
                    replacementTimeout: configuration.replacementTimeout,
                    faults: configuration.faults
                ).open(on: try await commits[0].session(), other: try await deliveries.session())
            }
            check = SchemaCheck(numbers, state: state, mapper: mapper)
            queue = CommitQueue(
                commits.map { [check, writer] slot in
                    BatchCommitter(
                        target: target,
                        slot: slot,
                        check: check,
                        schema: schema,
                        writer: writer,
                        mapper: mapper,
                        outcomeTimeout: configuration.outcomeTimeout,
                        faults: configuration.faults
                    )
                },
                meter: CommitMeter(configuration.commitObserver)
            )
            let channel = CommitNotice.channel(of: configuration.schema)
            notifier = CommitNotifier(slot: deliveries, writer: writer, channel: channel)
            listener = CommitListener(
                target: target, thread: thread, writer: writer, channel: channel, feed: commitFeed,
                signal: deliverySignal)
            try await mapper.translating { [clock, commits, deliveries, listener] in
                try await clock.measure(on: try await deliveries.session())
                // A notification would reach a connection that belongs to another client by then.
                if !target.isPooled {
                    try await listener.listen()
                    try await OpenStores(schema: target.schema, session: try await commits[0].session()).unregister()
                }
            }
        } catch {
            thread.stop()
            throw error
        }
    }

    deinit {
        thread.stop()
    }

    /// Closes all connections.
    ///
    /// After that, each use of the store throws ``HeadraceStorage/StoreError`` with the code `closed`. A commit that waits
    /// for its answer meanwhile throws the code `outcomeUnknown`, so close the store after its last use. Closing the store
    /// again does nothing.
    ///
    /// - Throws: Nothing. It's declared because another store can fail to close.
    public func close() throws {
        listener.close()
        lockers.close()
        for slot in readers + commits + [deliveries] { slot.close() }
        thread.stop()
    }

    /// Returns the document of an entity, or `nil` if it doesn't exist.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await read { try await $0.find(reference) }
    }

    /// Returns the documents of several entities, as one consistent read.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await read { try await $0.find(all: references) }
    }

    /// Returns the documents that match `query`, as one consistent read.
    ///
    /// - Throws: The errors of ``find(_:)``, and the code `schemaChanged` after another version of the program has changed
    ///   the indexes.
    public func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try schema.requireIndexes(of: query)
        guard let statement = check.numbers.statement(for: query) else {
            try Task.checkCancellation()
            return []
        }
        let documents = try await read { reading in
            try await answer(query, on: reading) { try await reading.fetch(query, statement) }
        }
        if let documents { return documents }
        // Programs without the indexes write all the time. A snapshot stays as it is.
        return try await snapshot().fetch(query)
    }

    /// Returns the number of documents that match `query`, without reading them.
    ///
    /// - Throws: The errors of ``fetch(_:)``.
    public func count(_ query: DocumentQuery) async throws -> Int {
        try schema.requireIndexes(of: query)
        guard let statement = check.numbers.statement(for: query) else {
            try Task.checkCancellation()
            return 0
        }
        let count = try await read { reading in
            try await answer(query, on: reading) { try await reading.count(statement) }
        }
        if let count { return count }
        return try await snapshot().count(query)
    }

    /// Returns the result of `body`, which answers `query`, or `nil` if its indexes were out of date each time.
    private func answer<Value>(
        _ query: DocumentQuery,
        on reading: DocumentReading,
        _ body: () async throws -> Value
    ) async throws -> Value? {
        let outdated = OutdatedIndexes(reading: reading, schema: schema)
        let indexes = outdated.numbers(of: query)
        for _ in 0..<3 {
            let completions = check.state.completions
            let value = try await body()
            // Indexes that exist now, and are complete, have been so during the query.
            switch try await check.isComplete(indexes, since: completions, on: reading.session) {
            case true?: return value
            case nil: continue
            case false?:
                // A document that can't be indexed is found all the same.
                if let kind = schema.kinds.first(where: { $0.name == query.kind }) {
                    do { try await outdated.complete(query.indexes, of: kind) } catch is StoreError {}
                }
            }
        }
        return nil
    }

    /// Returns at most `limit` events of the log after a position, in commit order.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await read { try await $0.events(after: position, limit: limit) }
    }

    /// Returns a snapshot of the store, on a separate connection that stays open as long as the snapshot lives.
    ///
    /// While a snapshot is open, the server keeps all old rows of the database, so release it soon.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func snapshot() async throws -> any EntityReader {
        try Task.checkCancellation()
        return try await mapper.translating {
            let session = try await Session.connect(target, on: thread)
            try await check.requireCurrent(on: session)
            return try await PostgresSnapshot(on: session, schema: schema, numbers: check.numbers, mapper: mapper)
        }
    }

    /// Applies `changes` and returns when they are as durable as requested.
    ///
    /// Cancellation doesn't stop the commit. Concurrent commits share a call (group commit). Each caller receives the
    /// outcome of its commit, and a commit that fails doesn't affect the others. If the connection ends during a commit,
    /// the store connects again and learns the outcome.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `versionConflict`, `alreadyExists`, `uniqueViolation`,
    ///   `undeclaredEntity`, `leaseLost`, `keyTaken`, `tooLong`, or `unsupportedWork` if the changes don't fit the store;
    ///   ``PostgresStatementError`` if plain SQL fails;
    ///   `schemaChanged`, `locked`, `full`, `unreachable`, or `unusable` if the database can't be written. In these cases,
    ///   nothing has changed. With the code `outcomeUnknown`, the server wasn't back in time, and the changes may or may
    ///   not be stored.
    public func commit(_ changes: ChangeSet) async throws {
        if let work = changes.work.first(where: { !($0 is StatementWork) }) {
            throw StoreError.unsupportedWork(work, by: Self.self)
        }
        try await queue.commitInTurn(try CommitUnit(changes, numbers: check.numbers))
        commitFeed.recordCommit(of: changes.subjects)
        if changes.makesDeliveries { deliverySignal.notify() }
        if changes.makesDeliveries || !changes.subjects.isEmpty { notifier.note(changes) }
    }

    /// Checks whether other stores have committed since the last call, and records their commits.
    ///
    /// Notifications usually arrive earlier. This finds commits whose notification is lost.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` if the server can't be reached; `CancellationError`.
    public func noticeOtherCommits() async throws {
        let seen = lastBatch.withLock(\.self)
        let (last, hasOther) = try await read { [writer] reading in
            let row = try await reading.session.run(
                CommitProcedure.otherBatches,
                [.id(writer), .integer(seen ?? .max)]
            ).first
            return (try row?.integer(0) ?? 0, try row?.flag(1) ?? false)
        }
        let isNews = lastBatch.withLock { newest in
            // Two calls at the same time may both report a commit. A server that has crashed can use numbers again.
            newest = seen.map { last < $0 } == true ? last : max(last, newest ?? 0)
            return hasOther || seen.map { last < $0 } == true
        }
        if isNews { commitFeed.recordCommit(of: nil) }
    }

    /// Runs `body` on a connection for reads, and once more if the connection ends meanwhile.
    func read<Value: Sendable>(_ body: (DocumentReading) async throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try await mapper.translating {
            let index = nextReader.add(1, ordering: .relaxed).oldValue
            let slot = readers[abs(index % readers.count)]
            do {
                return try await body(DocumentReading(session: try await slot.session(), numbers: check.numbers))
            } catch let failure as PostgresFailure where failure.isOfConnection {
                return try await body(DocumentReading(session: try await slot.session(), numbers: check.numbers))
            }
        }
    }
}

extension PostgresStore {
    /// Opens the store for these types of entity, and creates its schema and tables if they don't exist.
    ///
    /// See ``init(url:schema:configuration:)`` for details.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` as ``init(url:schema:configuration:)`` does; with the code
    ///   `invalidSchema` if `entities` contradict one another.
    public convenience init(
        url: String,
        entities: [any StoredEntity.Type],
        configuration: Configuration = Configuration()
    ) async throws {
        try await self.init(url: url, schema: try EntitySchema(entities), configuration: configuration)
    }
}
#endif
