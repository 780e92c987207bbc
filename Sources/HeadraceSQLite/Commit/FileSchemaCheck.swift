// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage
import Synchronization

/// Checks in each transaction that the file still has the tables, indexes and schema versions that the store was opened
/// with.
///
/// Another program may open the file with a later schema version, or with other properties of an index. This store
/// would then find too few documents and leave wrong index entries behind. An index that another program adds leaves the
/// store usable: it notes the documents that it writes in the table `unindexed`. The file counts
/// its changes in `PRAGMA user_version`, which is part of a transaction's snapshot. As long as the number is known, the
/// check is one read of a page that SQLite has in memory. If the number is new, the check compares the kinds that this
/// store uses. Changes of other kinds of entities don't concern the store.
final class FileSchemaCheck: Sendable {
    let ids: SchemaIDs
    private let path: String
    private let feed: CommitFeed

    /// Generation that was compared last, and the indexes that the file has in addition, by kind.
    private let known: Mutex<(generation: Int, undeclared: [Int64: [Int64]])>

    /// - Parameters:
    ///   - ids: The IDs of the kinds and indexes of the store.
    ///   - generation: The generation of the file when `ids` were read.
    ///   - path: The path of the file, for messages.
    ///   - feed: Is notified when the store can't be used any longer, so that live queries end.
    init(_ ids: SchemaIDs, generation: Int, path: String, feed: CommitFeed) {
        self.ids = ids
        self.path = path
        self.feed = feed
        known = Mutex((generation, ids.undeclared))
    }

    /// Returns the number that grows with each change of tables, indexes or schema versions.
    static func generation(in database: Database) throws -> Int {
        Int(try database.integer("PRAGMA user_version") ?? 0)
    }

    /// Runs `change` in the open transaction, and begins a generation if it changes anything.
    ///
    /// - Returns: The result of `change`, and the generation.
    static func tracking<Value>(in database: Database, _ change: () throws -> Value) throws -> (Value, generation: Int)
    {
        let count = database.totalChangesCount
        let value = try change()
        var generation = try generation(in: database)
        if database.totalChangesCount != count {
            // SQLite keeps 32 bits.
            generation = generation < Int32.max ? generation + 1 : 1
            try database.execute(sql: "PRAGMA user_version = \(generation)")
        }
        return (value, generation)
    }

    /// Requires that the file has the tables and indexes of the store, in the open transaction.
    ///
    /// - Returns: The indexes that other programs have added, by kind.
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `schemaChanged`.
    @discardableResult
    func requireCurrent(in database: Database) throws -> [Int64: [Int64]] {
        let generation = try Self.generation(in: database)
        let known = known.withLock { $0 }
        if known.generation == generation { return known.undeclared }
        let knowsTables = try StoreSchema.knowsTables(in: database)
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
}
#endif
