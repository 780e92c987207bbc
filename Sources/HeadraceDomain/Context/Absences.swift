// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

/// The identifiers and unique values that a unit of work has looked for without finding a stored entity.
///
/// If an insert fails because one of them is taken, another writer has come between the read and the commit. Doing the
/// work again finds that writer's entity, so the error is retryable. Without the read, the insert would fail again.
struct Absences {
    private struct Value: Hashable {
        let kind: String
        let entry: ChangeSet.IndexEntry
    }

    private var references: Set<EntityReference> = []
    private var values: Set<Value> = []

    /// Notes that no entity was stored under `reference`.
    mutating func note(_ reference: EntityReference) {
        references.insert(reference)
    }

    /// Notes that no entity of `kind` had one of `missing` in the unique index `index`.
    mutating func note(_ missing: Set<IndexValue>, in index: String, of kind: String) {
        for value in missing {
            values.insert(Value(kind: kind, entry: ChangeSet.IndexEntry(index: index, value: value)))
        }
    }

    /// Returns `error`, with which a store has refused `changes`, as a retryable error if another writer has caused it.
    func explain(_ error: StoreError, of changes: ChangeSet) -> StoreError {
        guard let entity = error.entity else { return error }
        if error.code == .alreadyExists, references.contains(entity) { return .insertedSinceRead(entity, cause: error) }
        if error.code == .uniqueViolation, let entry = error.indexEntry,
            values.contains(Value(kind: entity.kind, entry: entry)),
            // Two entities of one unit of work can't have the value, however often they are inserted.
            changes.writes.count(where: {
                $0.document.reference.kind == entity.kind && $0.addedEntries.contains(entry)
            }) == 1
        {
            return .takenSinceRead(entity, entry: entry, cause: error)
        }
        return error
    }
}
