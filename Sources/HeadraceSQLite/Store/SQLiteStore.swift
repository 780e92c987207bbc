// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
public import GRDB
public import HeadraceDomain
public import HeadraceStorage
import Synchronization

/// A store in one SQLite file: the default for an application on one machine.
///
/// ```swift
/// let store = try SQLiteStore(path: folder + "/books.sqlite", entities: [Account.self, Transaction.self])
/// let context = EntityContext(store)
/// ```
///
/// Every commit is one transaction that is on disk when ``commit(_:)`` returns: the file is in write-ahead mode with
/// `synchronous = FULL`. Several processes can open the same file; they write one at a time. Related SQLite
/// documentation: <https://www.sqlite.org/wal.html>, <https://www.sqlite.org/pragma.html#pragma_synchronous>.
public final class SQLiteStore: ObservableStore {
    /// The optional settings of a store.
    ///
    /// The defaults suit most applications.
    public struct Configuration: Sendable {
        /// Time that a commit waits while another process writes, 5 seconds by default.
        ///
        /// After this time the commit fails with `StoreError.Code.locked`.
        public var busyTimeout: Duration = .seconds(5)

        /// Time that opening waits for other processes that open, prepare or write the file, 60 seconds by default.
        ///
        /// After this time opening fails with `StoreError.Code.locked`. A process that builds a new
        /// index for many entities holds the write lock until the index is complete. If two processes open the file at
        /// the same time, the first prepares the file and the second waits.
        public var openingTimeout: Duration = .seconds(60)

        /// Time that opening waits for other programs that it would lock out, 0 by default.
        ///
        /// Programs can share a file unless one has a later schema version of a type, or other properties of an index. The
        /// later program locks out the earlier one. If one still has the file open after this time, opening fails with
        /// `StoreError.Code.inUse` before anything is changed. `nil` locks it out. Other programs are seen on
        /// Linux and macOS.
        public var replacementTimeout: Duration? = .zero

        /// Maximum size of the file in bytes, without the write-ahead log; `nil` by default, for no limit.
        ///
        /// Commits that need more space fail with `StoreError.Code.full`.
        public var maximumByteCount: Int?

        /// Is notified of each transaction of units of work, such as `CommitMetrics`; `nil` by default.
        public var commitObserver: (any CommitObserver)?

        /// Name of a virtual file system that is registered with SQLite; `nil` for the default of the operating system.
        ///
        /// If it is set, the path isn't checked before the file is opened. For tests.
        package var vfs: String?

        /// Is called at each fault point, on the writer thread except for `commitQueued`; `nil` by default.
        ///
        /// For crash tests, which end or stop the process there: see `CrashFaults` of `HeadraceTesting`.
        public var faults: (@Sendable (FaultPoint) -> Void)?

        /// Creates the default configuration.
        public init() {}
    }

    /// The entity types that the store was opened with.
    public let schema: EntitySchema

    /// The path of the file, as passed to the initializer or to the connections of the program.
    public let path: String

    let connections: any DatabaseWriter
    let check: FileSchemaCheck
    let writerContext: WriterContext
    private let queue: WriterQueue
    let file: OpenedFile
    private let use: FileUse

    /// Whether the connections belong to the store, and end with it.
    let ownsConnections: Bool

    /// The connection that writes.
    let writer: ObjectIdentifier

    /// The handlers of events that are raised in transactions of the program.
    let delegators = TransactionDelegators()

    /// The changes of the open transaction of the program.
    let announcements = CommitAnnouncements()

    /// Signals after each commit of this store that adds deliveries.
    public let deliverySignal = DeliverySignal()

    /// Records the commits of this store immediately, and commits of others when ``noticeOtherCommits()`` finds them.
    public let commitFeed = CommitFeed()

    let readers: ReaderCount

    /// The connections of ended snapshots.
    let snapshots = SnapshotConnections()

    /// Decides when to look for waits that were set by a wrong clock.
    let clockRepairTimer = ClockRepairTimer()

    /// The subscriptions that this store replays.
    let replays = RunningReplays()

    /// The last seen `data_version` of SQLite, which changes with commits of other connections.
    private let othersVersion = Mutex<Int?>(nil)

    /// Opens the store at `path`, and creates the file if it doesn't exist.
    ///
    /// Opening creates the indexes that are newly declared. If the schema version of a type is raised, opening removes all
    /// indexes of that type and builds those that are declared. Opening blocks the calling thread during this work, and
    /// while another process does the same. Open the store when the program starts.
    ///
    /// New types of entity, and indexes that are added or no longer declared, don't affect other programs that have the
    /// file open: each program keeps its own indexes, and its queries include the documents that others write. An index
    /// that is no longer declared stays in the file until the schema version of the type is raised.
    ///
    /// A program with an earlier schema version, or with an index of the same name and other properties, can't share the
    /// file. Opening fails while such a program has it open, unless ``Configuration/replacementTimeout`` says otherwise. Once
    /// it is locked out, all its reads and writes fail with the code `schemaChanged`. To keep an old version from taking the
    /// file back when an index changes its properties, raise the schema version of the type.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``, which names the file and the remedy, with one of these codes:
    ///   `unusable` if the path cannot be opened or is another program's database; `corrupt` if the file is damaged or
    ///   not a database; `full`, `locked`; `inUse` if opening would lock out another program; `newerSchema` if a later version has written it; `uniqueViolation` if stored
    ///   entities violate a new unique index.
    public convenience init(
        path: String,
        schema: EntitySchema,
        configuration: Configuration = Configuration()
    ) throws {
        let failure = SQLiteErrorMapper(path: path)
        if configuration.vfs == nil { try failure.checkPath() }
        let connectionCheck = ConnectionCheck()
        let settings = Self.settings(configuration, connectionCheck)
        try self.init(path: path, .new(settings, vfs: configuration.vfs), schema: schema, configuration)
        connectionCheck.require(file)
    }

    /// Makes a store in the database of a program, on the connections of the program.
    ///
    /// ```swift
    /// let pool = try DatabasePool(path: folder + "/shop.sqlite")
    /// try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    /// let store = try SQLiteStore(on: pool)
    /// ```
    ///
    /// Then ``raise(_:for:in:)`` raises an event in the transaction in which the program writes its own rows. The tables of the
    /// store have names that begin with `headrace_`, and the store changes nothing else in the file: neither the tables of a
    /// `DatabaseMigrator`, nor `user_version`, `application_id`, the journal mode, or the busy time-out.
    ///
    /// The file must be in write-ahead mode, foreign keys enabled, and `synchronous` at least `FULL`, so that a power failure
    /// takes no commit. A `DatabasePool` sets `NORMAL`. With `durability: .relaxed`, that is enough, and a power failure can take
    /// the last commits of the program and of the store together.
    ///
    /// Of `configuration`, `busyTimeout` and `maximumByteCount` have no effect: the connections have their own. Closing the store
    /// leaves the connections open. A `DatabaseMigrator` with `eraseDatabaseOnSchemaChange` erases the store, too.
    ///
    /// - Parameters:
    ///   - connections: A `DatabasePool` or a `DatabaseQueue` of a file.
    ///   - schema: The entities of the store.
    ///   - durability: The durability that the connections must have.
    ///   - configuration: The optional settings.
    /// - Throws: ``HeadraceStorage/StoreError`` as ``init(path:schema:configuration:)`` does; with the code `unusable` if a setting
    ///   of the connections isn't sufficient, or if the file belongs to a store.
    public convenience init(
        on connections: some DatabaseWriter,
        schema: EntitySchema,
        durability: Durability = .durable,
        configuration: Configuration = Configuration()
    ) throws {
        try self.init(path: connections.path, .program(connections, durability), schema: schema, configuration)
    }

    private init(
        path: String,
        _ source: FileOpening.Source,
        schema: EntitySchema,
        _ configuration: Configuration
    ) throws {
        self.path = path
        self.schema = schema
        let opened = try SQLiteErrorMapper(path: path).translatingOpening {
            try FileOpening(
                path: path,
                source: source,
                schema: schema,
                timeout: configuration.openingTimeout,
                replacementTimeout: configuration.replacementTimeout,
                faults: configuration.faults
            ).open()
        }
        ownsConnections = if case .new = source { true } else { false }
        connections = opened.connections
        use = opened.use
        writer = opened.writer
        check = FileSchemaCheck(
            opened.ids,
            generation: opened.generation,
            owner: opened.owner,
            path: path,
            feed: commitFeed
        )
        // A program reads, too, so a connection may not be free when the store has none in use.
        readers = ReaderCount(limit: ownsConnections ? connections.configuration.maximumReaderCount : 0)
        file = OpenedFile(path: path)
        writerContext = WriterContext(
            check: check,
            file: file,
            syncMode: SyncMode(level: opened.synchronous),
            faults: configuration.faults
        )
        queue = WriterQueue(
            connections: connections, context: writerContext, meter: CommitMeter(configuration.commitObserver))
    }

    private static func settings(
        _ configuration: Configuration,
        _ connectionCheck: ConnectionCheck
    ) -> GRDB.Configuration {
        var settings = GRDB.Configuration()
        settings.label = "headrace.store"
        settings.prepareDatabase { _ in try connectionCheck.check() }
        settings.busyMode = .timeout(configuration.busyTimeout / .seconds(1))
        if let limit = configuration.maximumByteCount {
            settings.prepareDatabase { database in
                let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
                try database.execute(sql: "PRAGMA max_page_count = \(max(1, limit / pageSize))")
            }
        }
        return settings
    }

    /// Closes the file, or ends the use of the connections of a program.
    ///
    /// After that, each use of the store throws ``HeadraceStorage/StoreError`` with the code `closed`. Closing the
    /// store again does nothing.
    ///
    /// Closing moves the write-ahead log into the file, which then contains every commit. If another process reads or
    /// writes for longer than half a second, the part of the log that it needs stays in the log.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `locked` if the store is in use.
    public func close() throws {
        snapshots.close()
        guard ownsConnections else {
            check.close()
            use.end()
            return
        }
        try SQLiteErrorMapper(path: path).translating {
            // Only the writer connection can checkpoint the log, and only as the last connection. GRDB closes it first.
            // <https://github.com/groue/GRDB.swift/issues/739>
            (connections as? DatabasePool)?.releaseMemory()
            // SQLite checkpoints the log when the last connection closes. This connection need not be the last.
            try? connections.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA busy_timeout = 500")
                try database.checkpoint(.truncate)
            }
            try connections.close()
            use.end()
        }
    }

    /// Applies `changes` and returns when they are as durable as requested.
    ///
    /// Cancellation does not stop the commit.
    ///
    /// Concurrent commits share a transaction, and so the wait for the disk (group commit). Each caller receives the
    /// outcome of its commit when that outcome is certain. A commit that fails does not affect the others.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `versionConflict`, `alreadyExists`, `uniqueViolation`,
    ///   `undeclaredEntity`, `leaseLost`, `keyTaken` or `unsupportedWork` if the changes do not fit the store;
    ///   `schemaChanged` after another version of the program has changed the file; `fileRemoved` if the file was
    ///   removed or replaced; `locked`, `full`, `corrupt` or `unusable` if the file cannot be written. In these cases,
    ///   nothing has changed. If the disk did not confirm a write, the code is `unusable` too, the changes may or may
    ///   not be stored, and the store writes nothing more until it is opened again.
    public func commit(_ changes: ChangeSet) async throws {
        let writer = ChangeSetWriter(changes: changes, work: try sqlWork(of: changes), ids: check.ids)
        try await SQLiteErrorMapper(path: path).translating { try await queue.commitInTurn(writer) }
        commitFeed.recordCommit(of: changes.subjects)
        if changes.makesDeliveries { deliverySignal.notify() }
    }

    /// Returns the SQL of `changes`.
    func sqlWork(of changes: ChangeSet) throws -> [SQLWork] {
        try changes.work.map { work in
            guard let work = work as? SQLWork else { throw StoreError.unsupportedWork(work, by: Self.self) }
            return work
        }
    }

    /// Checks whether other connections have committed since the last call, and records their commits.
    ///
    /// The check uses the writer connection: its `data_version` doesn't change with its own commits.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` if the file can't be read; `CancellationError`.
    public func noticeOtherCommits() async throws {
        let version = try await SQLiteErrorMapper(path: path).translating {
            try await connections.writeWithoutTransaction { [check] database in
                try check.requireOpen()
                return try Int.fetchOne(database, sql: "PRAGMA data_version")
            }
        }
        let isNews = othersVersion.withLock { last in
            defer { last = version }
            return last != nil && last != version
        }
        if isNews { commitFeed.recordCommit(of: nil) }
    }

    /// Returns the value of a pragma on the writer connection.
    package func writerPragma(_ name: String) throws -> Int? {
        try connections.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}

extension SQLiteStore {
    /// Opens the store at `path` for these types of entity, and creates the file if it doesn't exist.
    ///
    /// See ``init(path:schema:configuration:)`` for details.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` as ``init(path:schema:configuration:)`` does; with the code
    ///   `invalidSchema` if `entities` contradict one another.
    public convenience init(
        path: String,
        entities: [any StoredEntity.Type],
        configuration: Configuration = Configuration()
    ) throws {
        try self.init(path: path, schema: try EntitySchema(entities), configuration: configuration)
    }

    /// Makes a store for these types of entity in the database of a program.
    ///
    /// See ``init(on:schema:durability:configuration:)`` for details.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` as ``init(on:schema:durability:configuration:)`` does; with the code
    ///   `invalidSchema` if `entities` contradict one another.
    public convenience init(
        on connections: some DatabaseWriter,
        entities: [any StoredEntity.Type] = [],
        durability: Durability = .durable,
        configuration: Configuration = Configuration()
    ) throws {
        try self.init(
            on: connections,
            schema: try EntitySchema(entities),
            durability: durability,
            configuration: configuration
        )
    }
}
#endif
