//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
                let other = try SQLText.fetchOne(
                    database.cachedStatement(sql: "SELECT key FROM index_entry WHERE index_id = ? AND value = ?"),
                    arguments: [index.id, entry.value.databaseValue]
                )
                if let other { throw StoreError.uniqueViolation(reference, entry: entry, takenBy: other.text) }
            }
            try database.cachedStatement(
                sql: "INSERT INTO index_entry (index_id, value, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            ).execute(arguments: [index.id, entry.value.databaseValue, SQLText(reference.key)])
        }
    }

    /// Removes `entries`.
    ///
    /// Missing entries are ignored.
    func remove(_ entries: Set<ChangeSet.IndexEntry>, of reference: EntityReference) throws {
        for entry in entries {
            guard let index = ids.index(entry.index, of: reference.kind) else { continue }
            try database.cachedStatement(
                sql: "DELETE FROM index_entry WHERE index_id = ? AND value = ? AND key = ?"
            ).execute(arguments: [index.id, entry.value.databaseValue, SQLText(reference.key)])
        }
    }
}
#endif
