// SPDX-License-Identifier: Apache-2.0

#if SQLite
import GRDB
import HeadraceStorage

/// Adds entries to indexes, and removes them, within the open transaction.
struct IndexWriter {
    private let database: Database
    private let ids: SchemaIDs

    init(_ database: Database, ids: SchemaIDs) {
        self.database = database
        self.ids = ids
    }

    /// Adds `entries`.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `uniqueViolation` if another entity has a value that must be
    ///   unique.
    func add(_ entries: Set<ChangeSet.IndexEntry>, of reference: EntityReference) throws {
        for entry in entries {
            guard let index = ids.index(entry.index, of: reference.kind) else { continue }
            if index.isUnique {
                // This transaction is the only one that writes, so nothing is inserted between the check and the insertion.
                if let other = try key(of: entry.value, in: index) {
                    throw StoreError.uniqueViolation(reference, entry: entry, takenBy: other)
                }
            }
            try store(entry, in: index, of: reference)
        }
    }

    /// Adds `entries`, also if another entity has a value that must be unique.
    func store(_ entries: Set<ChangeSet.IndexEntry>, of reference: EntityReference) throws {
        for entry in entries {
            guard let index = ids.index(entry.index, of: reference.kind) else { continue }
            try store(entry, in: index, of: reference)
        }
    }

    private func store(
        _ entry: ChangeSet.IndexEntry,
        in index: SchemaIDs.Index,
        of reference: EntityReference
    ) throws {
        try database.run("INSERT INTO index_entry (index_id, value, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING") {
            statement in
            statement.bind(index.id)
            statement.bind(entry.value)
            statement.bind(reference.key)
        }
    }

    /// Removes `entries`.
    ///
    /// Missing entries are ignored.
    func remove(_ entries: Set<ChangeSet.IndexEntry>, of reference: EntityReference) throws {
        for entry in entries {
            guard let index = ids.index(entry.index, of: reference.kind) else { continue }
            try database.run("DELETE FROM index_entry WHERE index_id = ? AND value = ? AND key = ?") { statement in
                statement.bind(index.id)
                statement.bind(entry.value)
                statement.bind(reference.key)
            }
        }
    }

    /// Returns the key of an entity that has `value` in `index`, or `nil`.
    private func key(of value: IndexValue, in index: SchemaIDs.Index) throws -> String? {
        try database.withPreparedStatement("SELECT key FROM index_entry WHERE index_id = ? AND value = ?") {
            statement in
            statement.bind(index.id)
            statement.bind(value)
            return try statement.next() ? try statement.text(0) : nil
        }
    }
}
#endif
