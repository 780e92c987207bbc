// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage
import Synchronization

/// Opens a file, or takes the connections of a program, and prepares the file in one transaction.
///
/// Several processes may open one file at the same time. The first process that gets the write lock prepares the file.
/// The other processes wait for the lock and find the file prepared. SQLite doesn't always wait: the switch to
/// write-ahead mode, and the end of the last connection of another process, return `SQLITE_BUSY` immediately. So
/// opening is retried until it succeeds or times out.
struct FileOpening {
    /// The connections to the file.
    enum Source {
        /// New connections; `vfs` is the name of a virtual file system, or `nil` for the default of SQLite.
        case new(GRDB.Configuration, vfs: String?)

        /// The connections of the program, which must be as durable as given.
        case program(any DatabaseWriter, Durability)
    }

    /// An open file.
    struct Opened {
        let connections: any DatabaseWriter

        /// The IDs of the schema.
        let ids: SchemaIDs

        /// The generation in which ``ids`` are valid.
        let generation: Int

        let owner: FileOwner
        let use: FileUse

        /// The setting `synchronous` of the connection that writes.
        let synchronous: Int

        /// The identity of the connection that writes.
        let writer: ObjectIdentifier
    }

    let path: String
    let source: Source
    let schema: EntitySchema

    /// Time after which opening fails.
    let timeout: Duration

    /// Time to wait for other programs that opening locks out; `nil` not to look for them.
    let replacementTimeout: Duration?

    let faults: (@Sendable (FaultPoint) -> Void)?

    /// Opens the file.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; errors of GRDB.
    func open() throws -> Opened {
        let start = ContinuousClock.now
        let deadline = start.advanced(by: timeout)
        while true {
            do {
                return try attempt()
            } catch let error as StoreError where error.code == .inUse {
                if ContinuousClock.now >= start.advanced(by: replacementTimeout ?? .zero) { throw error }
                faults?(.inUse)
                // The other programs go on writing meanwhile.
                Thread.sleep(forTimeInterval: 0.1)
                continue
            } catch {
                let isLate = ContinuousClock.now >= deadline
                if isLate || !Self.mayPass(error) { throw error }
            }
            // A random pause, so that processes that collide once don't collide again.
            Thread.sleep(forTimeInterval: .random(in: 0.001...0.015))
        }
    }

    private func attempt() throws -> Opened {
        switch source {
        case .program(let connections, let durability):
            let synchronous = try ProgramConnections(connections, path: path).requireFit(for: durability)
            return try open(connections, owner: .program, synchronous: synchronous, isShared: true)
        case .new(let settings, let vfs):
            let owner = try FileOwner.find(path, configuration: settings)
            let pool = try DatabasePool(path: vfs.map { "file:\(path)?vfs=\($0)" } ?? path, configuration: settings)
            do {
                // GRDB sets the writer to NORMAL when it opens a pool, regardless of earlier settings.
                try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
                return try open(pool, owner: owner, synchronous: SyncMode.full, isShared: vfs == nil)
            } catch {
                // The thrown error says more than an error of closing.
                try? pool.close()
                throw error
            }
        }
    }

    private func open(
        _ connections: any DatabaseWriter,
        owner: FileOwner,
        synchronous: Int,
        isShared: Bool
    ) throws -> Opened {
        // The connections have created the write-ahead log.
        let use = FileUse(isShared ? path + "-wal" : nil)
        return try connections.writeWithoutTransaction { database in
            let (ids, generation) = try prepare(database, owner, use)
            try complete(ids, owner, database)
            return Opened(
                connections: connections,
                ids: ids,
                generation: generation,
                owner: owner,
                use: use,
                synchronous: synchronous,
                writer: ObjectIdentifier(database)
            )
        }
    }

    /// Migrates the file to the current tables and indexes, completely or not at all.
    private func prepare(
        _ database: Database,
        _ owner: FileOwner,
        _ use: FileUse
    ) throws -> (SchemaIDs, generation: Int) {
        var prepared = (SchemaIDs(), generation: 0)
        try database.inTransaction(.immediate) {
            try owner.claim(database, path: path)
            prepared = try owner.tracking(in: database) {
                try StoreSchema.prepare(database, of: owner, path: path, faults: faults)
                return try SchemaIDs.reconcile(schema, in: database, path: path) { reason in
                    guard replacementTimeout != nil else { return }
                    let others = use.others()
                    if !others.isEmpty { throw StoreError.inUse("'\(path)'", by: others, change: reason) }
                }
            }
            // Other openings wait for this transaction, so each of them sees this use.
            use.share()
            return .commit
        }
        return prepared
    }

    /// Adds the documents that indexes miss, in transactions between which other programs write.
    private func complete(_ ids: SchemaIDs, _ owner: FileOwner, _ database: Database) throws {
        let outdated = OutdatedIndexes(database, ids: ids)
        do {
            for (name, index, kind) in ids.indexes {
                // Each step reads the whole index, so the number of steps is limited, too.
                let limit = max(OutdatedIndexes.stepSize * 10, try outdated.count(index.id) / 50)
                while try outdated.contains(index.id) {
                    try database.inTransaction(.immediate) {
                        try outdated.complete(index.id, name, of: kind, limit: limit)
                        return .commit
                    }
                }
                if index.isUnique, ids.created.contains(index.id) {
                    try outdated.requireUnique(index.id, name, of: kind)
                }
            }
        } catch  where !ids.created.isEmpty {
            // The thrown error says more than an error of the removal. If it fails, the next opening completes the indexes.
            try? database.inTransaction(.immediate) {
                _ = try owner.tracking(in: database) { try ids.undo(in: database) }
                return .commit
            }
            throw error
        }
    }

    /// Whether `error` means that another process is opening, closing or writing the file.
    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as DatabaseError:
            [.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL].contains(error.resultCode)
        case let error as CocoaError:
            // GRDB looks at the write-ahead log, which the last connection of another process removes.
            [.fileNoSuchFile, .fileReadNoSuchFile].contains(error.code)
        default:
            false
        }
    }
}

/// The number of connections that reads use, so that a read knows whether one is free.
final class ReaderCount: Sendable {
    private let count = Atomic(0)
    private let limit: Int

    /// - Parameter limit: Number of connections.
    init(limit: Int) {
        self.limit = limit
    }

    /// Counts a read that begins, and returns whether a connection is free for it.
    ///
    /// Each read must call ``end()`` once.
    func begin() -> Bool {
        count.add(1, ordering: .acquiringAndReleasing).newValue <= limit
    }

    /// Counts a read that has released its connection.
    func end() {
        count.subtract(1, ordering: .acquiringAndReleasing)
    }
}
#endif
