//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if SQLite
import Foundation
import GRDB
import HeadraceDomain

/// Applies one change set, within a transaction that fails as a whole.
struct Writing: Sendable {
    let changes: ChangeSet
    let numbers: SchemaNumbers

    func apply(in database: Database) throws {
        // First: a command that has taken effect is the reason for all other conflicts that it causes.
        try DeliveryWriting(database).remember(changes)
        for required in changes.requirements {
            let stored = try Reading.documents(of: [required.reference], numbers: numbers, in: database).first
            if stored != required { throw StoreError.versionConflict(required: required, stored: stored) }
        }
        for deletion in changes.deletions {
            try delete(deletion, in: database)
        }
        for write in changes.writes {
            try self.write(write, in: database)
        }
        // Entries are added when all others are gone, so that two entities can exchange a unique value.
        for write in changes.writes {
            try Self.add(write.addedEntries, of: write.document.reference, numbers: numbers, in: database)
        }
        try DeliveryWriting(database).apply(changes)
        for work in changes.work {
            try perform(work, in: database)
        }
    }

    private func perform(_ work: any StoreWork, in database: Database) throws {
        guard let work = work as? SQLWork else {
            throw StoreError.unsupportedWork(work, by: SQLiteStore.self)
        }
        do {
            try work.body(database)
        } catch {
            throw SQLiteFailure.isOfTheFile(error) ? error : PassedThrough(error: error)
        }
        if !database.isInsideTransaction {
            throw StoreError(
                code: .unsupportedWork,
                message: """
                    The SQL that was to join a unit of work has ended its transaction; where it has committed it, what \
                    was done until then is stored. To fix, leave BEGIN, COMMIT and ROLLBACK out of it; to roll back, \
                    throw.
                    """
            )
        }
    }

    private func write(_ write: ChangeSet.Write, in database: Database) throws {
        let document = write.document
        let kind = try kind(of: document.reference)
        let json = String(decoding: document.json, as: UTF8.self)
        if write.expectedVersion == 0 {
            try database.cachedStatement(
                sql: """
                    INSERT INTO entity (kind, key, version, schema_version, document) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """
            ).execute(arguments: [
                kind, StoredText(document.reference.key), document.version, document.schemaVersion, json,
            ])
            if database.changesCount == 0 { throw StoreError.alreadyExists(document.reference) }
        } else {
            try database.cachedStatement(
                sql: """
                    UPDATE entity SET version = ?, schema_version = ?, document = ?
                    WHERE kind = ? AND key = ? AND version = ?
                    """
            ).execute(
                arguments: [
                    document.version, document.schemaVersion, json,
                    kind, StoredText(document.reference.key), write.expectedVersion,
                ]
            )
            try requireChange(of: document.reference, expected: write.expectedVersion, in: database)
        }
        try remove(write.removedEntries, of: document.reference, in: database)
    }

    private func delete(_ deletion: ChangeSet.Deletion, in database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM entity WHERE kind = ? AND key = ? AND version = ?").execute(
            arguments: [try kind(of: deletion.reference), StoredText(deletion.reference.key), deletion.expectedVersion]
        )
        try requireChange(of: deletion.reference, expected: deletion.expectedVersion, in: database)
        try remove(deletion.removedEntries, of: deletion.reference, in: database)
    }

    private func requireChange(of reference: EntityReference, expected: Int, in database: Database) throws {
        if database.changesCount == 1 { return }
        let stored = try Int.fetchOne(
            database,
            sql: "SELECT version FROM entity WHERE kind = ? AND key = ?",
            arguments: [try kind(of: reference), StoredText(reference.key)]
        )
        throw StoreError.versionConflict(reference, expected: expected, stored: stored)
    }

    private func remove(
        _ entries: Set<ChangeSet.IndexEntry>,
        of reference: EntityReference,
        in database: Database
    ) throws {
        for entry in entries {
            guard let index = numbers.index(entry.index, of: reference.kind) else { continue }
            try database.cachedStatement(
                sql: "DELETE FROM index_entry WHERE index_id = ? AND value = ? AND key = ?"
            ).execute(arguments: [index.id, entry.value.databaseValue, StoredText(reference.key)])
        }
    }

    /// Puts `entries` into their indexes, unless another entity has a value that must be unique.
    static func add(
        _ entries: Set<ChangeSet.IndexEntry>,
        of reference: EntityReference,
        numbers: SchemaNumbers,
        in database: Database
    ) throws {
        for entry in entries {
            guard let index = numbers.index(entry.index, of: reference.kind) else { continue }
            if index.isUnique {
                // The transaction is the only one that writes, so nothing comes between this and the insertion.
                let other = try StoredText.fetchOne(
                    database.cachedStatement(sql: "SELECT key FROM index_entry WHERE index_id = ? AND value = ?"),
                    arguments: [index.id, entry.value.databaseValue]
                )
                if let other { throw StoreError.uniqueViolation(reference, entry: entry, takenBy: other.text) }
            }
            try database.cachedStatement(
                sql: "INSERT INTO index_entry (index_id, value, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            ).execute(arguments: [index.id, entry.value.databaseValue, StoredText(reference.key)])
        }
    }

    private func kind(of reference: EntityReference) throws -> Int64 {
        guard let kind = numbers.kind(reference.kind) else {
            throw StoreError.undeclaredEntity(reference)
        }
        return kind
    }
}
#endif
