//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import GRDB
public import HeadraceStorage
import Synchronization

/// A store in one SQLite file: the default of an application on one machine.
///
/// ```swift
/// let store = try SQLiteStore(path: folder + "/books.sqlite", entities: [Account.self, Transaction.self])
/// let context = EntityContext(store)
/// ```
///
/// Every commit is one transaction that is on disk when ``commit(_:)`` returns: the file is in
/// write-ahead mode with `synchronous = FULL`. Several processes may have the same file open; they take
/// turns in writing. Related SQLite documentation: <https://www.sqlite.org/wal.html>,
/// <https://www.sqlite.org/pragma.html#pragma_synchronous>.
public final class SQLiteStore: ObservableStore {
    /// What a store needs to know besides its path; the defaults are for everyday use.
    public struct Configuration: Sendable {
        /// How long a commit waits while another process writes, before it fails with
        /// ``HeadraceStorage/StoreError/Code/locked``; 5 seconds unless set.
        public var busyTimeout: Duration = .seconds(5)

        /// How long opening waits for other processes that open, prepare or write the file, before it fails with
        /// ``HeadraceStorage/StoreError/Code/locked``; 60 seconds unless set.
        ///
        /// A process that makes a new index for many entities writes for that long. If two processes open the file at the same
        /// time, one of them prepares it, and the other one waits.
        public var openingTimeout: Duration = .seconds(60)

        /// How many bytes the file may grow to (without the write-ahead log, which is emptied into it); beyond,
        /// commits fail with ``HeadraceStorage/StoreError/Code/full``.
        ///
        /// As much as there is room for unless set.
        public var maximumByteCount: Int?

        /// The name of a virtual file system that is registered with SQLite; that of the operating system unless set.
        ///
        /// If it is set, the path isn't checked before the file is opened. For tests.
        package var vfs: String?

        /// Is told of each fault point that is passed; but for `commitQueued`, on the thread that writes.
        package var faults: (@Sendable (FaultPoint) -> Void)?

        /// Creates the default configuration.
        public init() {}
    }

    /// The types of entity that the store was opened with.
    public let schema: EntitySchema

    /// The path of the file, as given.
    public let path: String

    let pool: DatabasePool
    let check: SchemaCheck
    let rules: CommitRules
    private let queue: CommitQueue
    private let file: OpenedFile

    /// Is given whenever a commit of this store has made something to deliver.
    public let deliverySignal = DeliverySignal()

    /// Records the commits of this store at once, and those of others when ``noticeOtherCommits()`` finds them.
    public let commitFeed = CommitFeed()

    /// Tells when to look for waits that were set by a wrong clock.
    let leaseClock = LeaseClock()

    /// The number by which SQLite tells that others have committed, as last seen.
    private let othersVersion = Mutex<Int?>(nil)

    /// Opens the store at `path`, and creates the file where there is none.
    ///
    /// Indexes that were declared since the file was last opened are made, those no longer declared are
    /// dropped; where the schema version of a type was raised, all of its indexes are made anew. It blocks the calling thread
    /// while it does this, and while another process does; open the store when the program starts.
    ///
    /// A store that was opened before with other indexes, or with an earlier schema version, can't be used after that: all
    /// its reads and writes fail with the code `schemaChanged`, also in other processes. Restart the program in the new
    /// version. To keep the old version from taking the file back, raise the schema version of a type together with its
    /// indexes: the old version then can't open the file. New types of entity disturb no other program.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with one of these codes, naming the file and the remedy:
    ///   `unusable` where the path cannot be opened or is another program's database; `corrupt` where the file
    ///   is damaged or not a database; `full`, `locked`; `newerSchema` where a later version has written it;
    ///   `uniqueViolation` where a new unique index
    ///   does not hold for what is stored.
    public init(
        path: String,
        schema: EntitySchema,
        configuration: Configuration = Configuration()
    ) throws {
        self.path = path
        self.schema = schema
        let failure = SQLiteErrorMapper(path: path)
        if configuration.vfs == nil { try failure.checkPath() }
        let connectionCheck = ConnectionCheck()
        let ids: SchemaIDs
        let generation: Int
        (pool, ids, generation) = try failure.translatingOpening { [schema] in
            try StoreOpening(
                path: path,
                vfs: configuration.vfs,
                schema: schema,
                settings: Self.settings(configuration, connectionCheck),
                timeout: configuration.openingTimeout,
                faults: configuration.faults
            ).open()
        }
        check = SchemaCheck(ids, generation: generation, path: path, feed: commitFeed)
        rules = CommitRules(check: check, waiting: DiskWaiting(), faults: configuration.faults)
        file = OpenedFile(path: path)
        connectionCheck.require(file)
        queue = CommitQueue(pool: pool, file: file, rules: rules)
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

    /// Closes the file.
    ///
    /// After that, each use of the store throws ``HeadraceStorage/StoreError`` with the code `closed`; closing it again does
    /// nothing.
    ///
    /// The write-ahead log is emptied into the file, which holds every commit then. If another process reads or writes
    /// for longer than half a second, the part of the log that it needs stays in the log.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `locked` where it is in use.
    public func close() throws {
        try SQLiteErrorMapper(path: path).translating {
            // Only the connection that writes can empty the log, and only as the last one; GRDB closes it first.
            // <https://github.com/groue/GRDB.swift/issues/739>
            pool.releaseMemory()
            // SQLite empties the log when the last connection closes; this one need not be the last.
            try? pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA busy_timeout = 500")
                try database.checkpoint(.truncate)
            }
            try pool.close()
        }
    }

    /// Gives the document of an entity, or `nil` where there is none.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` where the file cannot be read, with the code `schemaChanged` after another
    ///   version of the program has changed it, and with the code `fileRemoved` if the read needs a new connection and the file
    ///   was removed or replaced; `CancellationError`.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        guard let kind = check.ids.kind(reference.kind) else { return nil }
        return try await read { try DocumentReader.document(of: reference, kind: kind, in: $0) }
    }

    /// Gives the documents of several entities, in the order of `references`, of one moment.
    ///
    /// - Throws: As of ``find(_:)``.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await read { [check] in try DocumentReader.documents(of: references, ids: check.ids, in: $0) }
    }

    /// Gives the documents that `query` asks for, of one moment.
    ///
    /// - Throws: As of ``find(_:)``.
    public func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        guard let statement = check.ids.statement(for: query) else { return [] }
        return try await read { try DocumentReader.documents(of: query.kind, by: statement, in: $0) }
    }

    /// Gives the events of the log after a position, in the order committed, `limit` at the most.
    ///
    /// - Throws: As of ``find(_:)``.
    public func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await read { try DocumentReader.events(after: position, limit: limit, in: $0) }
    }

    /// Gives what the store holds at this moment, whatever is committed later, on a connection of its own.
    ///
    /// - Throws: As of ``find(_:)``.
    public func snapshot() async throws -> any EntityReader {
        try Task.checkCancellation()
        return try await translatingReading {
            // A snapshot opens a connection of its own, which a closed pool does not prevent.
            try await pool.read { _ in }
            let snapshot = try pool.makeSnapshot()
            // The write-ahead log is opened after the connection was checked.
            try file.check()
            try await snapshot.read { [check] in try check.requireCurrent(in: $0) }
            return SQLiteSnapshot(snapshot, ids: check.ids, path: path)
        }
    }

    /// Applies `changes` and returns when they are as durable as they ask; cancellation does not stop it.
    ///
    /// Those who commit at the same time share a transaction, and so the wait for the disk; each hears of its own outcome
    /// when that is certain, and what keeps one from being stored does not touch the others.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `versionConflict`, `alreadyExists`, `uniqueViolation`,
    ///   `undeclaredEntity`, `leaseLost`, `keyTaken` or `unsupportedWork` where the changes do not fit the store; `schemaChanged`
    ///   after another version of the program has changed the file; `fileRemoved` if the file was removed or replaced; `locked`,
    ///   `full`, `corrupt` or `unusable` where the file cannot be written. Nothing has changed then. If the disk did not
    ///   confirm a write, the code is `unusable` too, the changes may be stored or not, and the store writes nothing
    ///   more until it
    ///   is opened again.
    public func commit(_ changes: ChangeSet) async throws {
        let work = try changes.work.map { work in
            guard let work = work as? SQLWork else { throw StoreError.unsupportedWork(work, by: Self.self) }
            return work
        }
        let writer = ChangeSetWriter(changes: changes, work: work, ids: check.ids)
        try await SQLiteErrorMapper(path: path).translating { try await queue.commit(writer) }
        commitFeed.recordCommit(of: changes.subjects)
        if changes.makesDeliveries { deliverySignal.notify() }
    }

    /// Asks SQLite whether other connections have committed since the last call, and records that.
    ///
    /// It uses the connection that writes: its `data_version` doesn't change with its own commits.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` if the file can't be read; `CancellationError`.
    public func noticeOtherCommits() async throws {
        let version = try await SQLiteErrorMapper(path: path).translating {
            try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version") }
        }
        let isNews = othersVersion.withLock { last in
            defer { last = version }
            return last != nil && last != version
        }
        if isNews { commitFeed.recordCommit(of: nil) }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await translatingReading {
            try await pool.read { [check] database in
                try check.requireCurrent(in: database)
                return try body(database)
            }
        }
    }

    /// Translates the errors of SQLite; a connection can't be opened, or finds other tables, once the file was removed.
    private nonisolated(nonsending) func translatingReading<Value>(
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do {
            return try await SQLiteErrorMapper(path: path).translating(operation)
        } catch let error as StoreError where [.unusable, .corrupt, .schemaChanged].contains(error.code) {
            try file.check()
            throw error
        }
    }

    /// Gives the value of a pragma on the connection that writes.
    package func writerPragma(_ name: String) throws -> Int? {
        try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}
#endif
