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

        /// A closure that is called at each fault point: on the writer thread, except for `commitQueued`.
        package var faults: (@Sendable (FaultPoint) -> Void)?

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
    private let file: OpenedFile
    private let use: FileUse

    /// Whether the connections belong to the store, and end with it.
    private let ownsConnections: Bool

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

    private let readers: ReaderCount

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
    /// let connections = try DatabasePool(path: "shop.sqlite")
    /// try connections.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
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

    /// Returns the document of an entity, or `nil` if it doesn't exist.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` if the file cannot be read, with the code `schemaChanged` after another
    ///   version of the program has changed it, and with the code `fileRemoved` if the read needs a new connection and
    ///   the file was removed or replaced; `CancellationError`.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        guard let kind = check.ids.kind(reference.kind) else { return nil }
        return try await read(isBrief: true) { try DocumentReader.document(of: reference, kind: kind, in: $0) }
    }

    /// Returns the documents of several entities from one snapshot, in the order of `references`.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await read(isBrief: references.count <= Self.largestBriefRead) { [check] in
            try DocumentReader.documents(of: references, ids: check.ids, in: $0)
        }
    }

    /// Returns the documents that match `query`, from one snapshot.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try schema.requireIndexes(of: query)
        guard let statement = check.ids.statement(for: query) else { return [] }
        let (documents, isSlow) = try await read { [check] in
            try OutdatedIndexes($0, ids: check.ids).fetch(query, by: statement)
        }
        // The documents are right without it. The next query then finds them in the indexes.
        if isSlow { try? await complete(query) }
        return documents
    }

    /// Returns the number of documents that match `query`, without reading them.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func count(_ query: DocumentQuery) async throws -> Int {
        try schema.requireIndexes(of: query)
        guard let statement = check.ids.statement(for: query) else { return 0 }
        let (count, isSlow) = try await read { [check] in
            try OutdatedIndexes($0, ids: check.ids).count(query, by: statement)
        }
        if isSlow { try? await complete(query) }
        return count
    }

    /// Returns at most `limit` events of the log after a position, in commit order.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await read { try DocumentReader.events(after: position, limit: limit, in: $0) }
    }

    /// Returns a snapshot of the store, on a separate connection.
    ///
    /// Later commits do not change it.
    ///
    /// - Throws: The errors of ``find(_:)``.
    public func snapshot() async throws -> any EntityReader {
        try Task.checkCancellation()
        return try await translatingReading {
            // A snapshot opens a separate connection, even if the pool is closed.
            _ = readers.begin()
            defer { readers.end() }
            try await connections.unsafeRead { [check] in try Self.inReadTransaction(check, { _ in }, in: $0) }
            let snapshot = try connections.snapshot()
            // SQLite opens the write-ahead log only after the check of the connection.
            try file.check()
            try await snapshot.read { [check] in _ = try check.requireCurrent(in: $0) }
            return SQLiteSnapshot(snapshot, schema: schema, ids: check.ids, path: path)
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

    /// Indexes documents that programs without the indexes of `query` have written.
    private func complete(_ query: DocumentQuery) async throws {
        try await connections.writeWithoutTransaction { [check] database in
            try database.inWriteTransaction {
                try check.requireCurrent(in: database)
                try OutdatedIndexes(database, ids: check.ids).complete(query)
            }
        }
    }

    /// Number of documents up to which a read is brief.
    private static let largestBriefRead = 16

    /// Runs `body` in a transaction that reads.
    ///
    /// A brief read runs on the calling thread if a connection is free: four changes of threads take longer than a search
    /// by key. It never waits for other reads. On the main actor, all reads run elsewhere, because the disk may be slow.
    ///
    /// - Parameters:
    ///   - isBrief: Whether `body` only reads a few rows by their keys.
    ///   - body: The read.
    /// - Returns: The result of `body`.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    func read<Value: Sendable>(
        isBrief: Bool = false,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let isFree = readers.begin()
        defer { readers.end() }
        // Not in a closure, which could leave the caller's thread.
        if isBrief && isFree && #isolation !== MainActor.shared {
            try Task.checkCancellation()
            return try readHere(body)
        }
        return try await translatingReading {
            try await connections.unsafeRead { [check] in try Self.inReadTransaction(check, body, in: $0) }
        }
    }

    /// Reads on the calling thread, with the errors of ``translatingReading(_:)``.
    private func readHere<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do {
            return try SQLiteErrorMapper(path: path).translating {
                try connections.unsafeRead { try Self.inReadTransaction(check, body, in: $0) }
            }
        } catch let error as StoreError where Self.codesOfARemovedFile.contains(error.code) {
            try file.check()
            throw error
        }
    }

    /// Runs `body` in a transaction that reads.
    ///
    /// GRDB's own transaction would prepare its statements each time, and crashes on a closed `DatabaseQueue`.
    private static func inReadTransaction<Value>(
        _ check: FileSchemaCheck,
        _ body: (Database) throws -> Value,
        in database: Database
    ) throws -> Value {
        try database.inReadTransaction {
            try check.requireCurrent(in: database)
            return try body(database)
        }
    }

    /// Codes of errors that a removed file can cause: new connections fail or find other tables.
    private static let codesOfARemovedFile: [StoreError.Code] = [.unusable, .corrupt, .schemaChanged]

    /// Converts the errors of SQLite, and names a removed file as the cause.
    private nonisolated(nonsending) func translatingReading<Value>(
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do {
            return try await SQLiteErrorMapper(path: path).translating(operation)
        } catch let error as StoreError where Self.codesOfARemovedFile.contains(error.code) {
            try file.check()
            throw error
        }
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
