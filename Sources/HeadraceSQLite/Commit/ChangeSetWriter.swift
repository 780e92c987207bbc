// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceStorage
import Synchronization

/// Applies one change set within the open transaction.
///
/// If one part fails, the whole change set fails.
struct ChangeSetWriter: Sendable {
    let changes: ChangeSet
    /// The SQL of `changes`.
    let work: [SQLWork]
    let ids: SchemaIDs

    /// - Parameters:
    ///   - database: The connection.
    ///   - undeclared: The indexes that other programs have added, by kind.
    /// - Throws: ``HeadraceStorage/StoreError`` if the changes don't fit the file; `DatabaseError`.
    func apply(in database: Database, undeclared: [Int64: [Int64]]) throws {
        // The idempotency key is written first: a command that has already taken effect causes all other conflicts.
        try DeliveryWriter(database).remember(changes)
        for required in changes.requirements {
            let stored = try DocumentReader.documents(of: [required.reference], ids: ids, in: database).first
            if stored != required { throw StoreError.versionConflict(required: required, stored: stored) }
        }
        try completeUniqueIndexes(in: database)
        for deletion in changes.deletions {
            try delete(deletion, in: database)
        }
        for write in changes.writes {
            try self.write(write, in: database)
        }
        // All old entries are removed before new entries are added, so that two entities can exchange a unique value.
        let indexes = IndexWriter(database, ids: ids)
        for write in changes.writes {
            try indexes.add(write.addedEntries, of: write.document.reference)
        }
        if !undeclared.isEmpty { try noteUnindexed(undeclared, in: database) }
        try DeliveryWriter(database).apply(changes)
        for work in work {
            try perform(work, in: database)
        }
    }

    /// Completes the unique indexes that receive values, so that each stored value is found.
    private func completeUniqueIndexes(in database: Database) throws {
        for write in changes.writes {
            let kind = write.document.reference.kind
            for entry in write.addedEntries {
                guard let index = ids.index(entry.index, of: kind), index.isUnique else { continue }
                let outdated = OutdatedIndexes(database, ids: ids)
                do {
                    while try outdated.contains(index.id) { try outdated.complete(index.id, entry.index, of: kind) }
                } catch let error as StoreError where error.code == .undecodable {
                    // The value of the document isn't known, and this unit of work is independent of it.
                }
            }
        }
    }

    /// Notes that the indexes of other programs don't have the new contents of the written and deleted documents.
    private func noteUnindexed(_ undeclared: [Int64: [Int64]], in database: Database) throws {
        for reference in changes.writes.map(\.document.reference) + changes.deletions.map(\.reference) {
            for index in undeclared[try kind(of: reference)] ?? [] {
                try database.run("INSERT INTO headrace_unindexed (index_id, key) VALUES (?, ?) ON CONFLICT DO NOTHING")
                {
                    statement in
                    statement.bind(index)
                    statement.bind(reference.key)
                }
            }
        }
    }

    private func perform(_ work: SQLWork, in database: Database) throws {
        do {
            try work.body(database)
        } catch {
            throw SQLiteErrorMapper.isOfTheFile(error) ? error : ClientSQLError(error: error)
        }
        if !database.isInsideTransaction {
            throw StoreError(
                code: .unsupportedWork,
                message: """
                    The SQL of a unit of work ended its transaction. If the SQL committed the transaction, the changes \
                    before the commit are stored. To fix, remove BEGIN, COMMIT and ROLLBACK from the SQL. To roll back, \
                    throw.
                    """
            )
        }
    }

    private func write(_ write: ChangeSet.Write, in database: Database) throws {
        let document = write.document
        let kind = try kind(of: document.reference)
        if write.expectedVersion == 0 {
            try database.run(
                """
                INSERT INTO headrace_entity (kind, key, version, schema_version, document) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """
            ) { statement in
                statement.bind(kind)
                statement.bind(document.reference.key)
                statement.bind(document.version)
                statement.bind(document.schemaVersion)
                statement.bind(utf8: document.json)
            }
            if database.changesCount == 0 { throw StoreError.alreadyExists(document.reference) }
        } else {
            try database.run(
                """
                UPDATE headrace_entity SET version = ?, schema_version = ?, document = ?
                WHERE kind = ? AND key = ? AND version = ?
                """
            ) { statement in
                statement.bind(document.version)
                statement.bind(document.schemaVersion)
                statement.bind(utf8: document.json)
                statement.bind(kind)
                statement.bind(document.reference.key)
                statement.bind(write.expectedVersion)
            }
            try requireChange(of: document.reference, expected: write.expectedVersion, in: database)
        }
        try IndexWriter(database, ids: ids).remove(write.removedEntries, of: document.reference)
    }

    private func delete(_ deletion: ChangeSet.Deletion, in database: Database) throws {
        let kind = try kind(of: deletion.reference)
        try database.run("DELETE FROM headrace_entity WHERE kind = ? AND key = ? AND version = ?") { statement in
            statement.bind(kind)
            statement.bind(deletion.reference.key)
            statement.bind(deletion.expectedVersion)
        }
        try requireChange(of: deletion.reference, expected: deletion.expectedVersion, in: database)
        try IndexWriter(database, ids: ids).remove(deletion.removedEntries, of: deletion.reference)
    }

    private func requireChange(of reference: EntityReference, expected: Int, in database: Database) throws {
        if database.changesCount == 1 { return }
        let kind = try kind(of: reference)
        let stored = try database.integer("SELECT version FROM headrace_entity WHERE kind = ? AND key = ?") {
            statement in
            statement.bind(kind)
            statement.bind(reference.key)
        }
        throw StoreError.versionConflict(reference, expected: expected, stored: stored.map { Int($0) })
    }

    private func kind(of reference: EntityReference) throws -> Int64 {
        guard let kind = ids.kind(reference.kind) else {
            throw StoreError.undeclaredEntity(reference)
        }
        return kind
    }
}

/// Checks in each transaction that the file still has the tables, indexes and schema versions that the store was opened
/// with.
///
/// Another program may open the file with a later schema version, or with other properties of an index. This store
/// would then find too few documents and leave wrong index entries behind. An index that another program adds leaves the
/// store usable: it notes the documents that it writes in the table `headrace_unindexed`. The file counts
/// its changes (``FileOwner/generation(in:)``) in a place that is part of a transaction's snapshot. As long as the number is known, the
/// check is one read of a page that SQLite has in memory. If the number is new, the check compares the kinds that this
/// store uses. Changes of other kinds of entities don't concern the store.
final class FileSchemaCheck: Sendable {
    let ids: SchemaIDs
    private let owner: FileOwner
    private let path: String
    private let feed: CommitFeed
    private let isClosed = Atomic(false)

    /// Generation that was compared last, and the indexes that the file has in addition, by kind.
    private let known: Mutex<(generation: Int, undeclared: [Int64: [Int64]])>

    /// - Parameters:
    ///   - ids: The IDs of the kinds and indexes of the store.
    ///   - generation: The generation of the file when `ids` were read.
    ///   - owner: The owner of the file.
    ///   - path: The path of the file, for messages.
    ///   - feed: Is notified when the store can't be used any longer, so that live queries end.
    init(_ ids: SchemaIDs, generation: Int, owner: FileOwner, path: String, feed: CommitFeed) {
        self.ids = ids
        self.owner = owner
        self.path = path
        self.feed = feed
        known = Mutex((generation, ids.undeclared))
    }

    /// Refuses all further transactions, although the connections may stay open.
    func close() {
        isClosed.store(true, ordering: .releasing)
    }

    /// - Throws: ``HeadraceStorage/StoreError`` with the code `closed` after ``close()``.
    func requireOpen() throws {
        if isClosed.load(ordering: .acquiring) { throw SQLiteErrorMapper(path: path).closed() }
    }

    /// Requires that the file has the tables and indexes of the store, in the open transaction.
    ///
    /// - Returns: The indexes that other programs have added, by kind.
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `schemaChanged`, or `closed` after ``close()``.
    @discardableResult
    func requireCurrent(in database: Database) throws -> [Int64: [Int64]] {
        try requireOpen()
        let generation = try owner.generation(in: database)
        let known = known.withLock { $0 }
        if known.generation == generation { return known.undeclared }
        let knowsTables = try StoreSchema.knowsTables(of: owner, in: database)
        let comparison = knowsTables ? try ids.compare(in: database) : (changed: nil, undeclared: [:])
        let change =
            knowsTables
            ? comparison.changed.map { "the indexes or the schema version of '\($0)' are different" }
            : "it has tables that this version of Headrace doesn't know"
        if let change {
            feed.recordCommit(of: nil)
            throw StoreError(
                code: .schemaChanged,
                message: """
                    '\(path)' was changed by another version of the program while it was open: \(change). Nothing was \
                    read or stored. To fix, start the version of this program that changed it.
                    """
            )
        }
        self.known.withLock { $0 = (generation, comparison.undeclared) }
        return comparison.undeclared
    }

    /// Begins a transaction that reads, and requires the tables and indexes of the store in it.
    ///
    /// The check reads from the file, so the transaction has its snapshot.
    ///
    /// - Throws: The errors of ``requireCurrent(in:)``, within the transaction; `DatabaseError`.
    func beginRead(in database: Database) throws {
        try database.beginReadTransaction()
        try requireCurrent(in: database)
    }
}
#endif
