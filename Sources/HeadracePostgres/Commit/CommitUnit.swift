// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage

/// A unit of work that waits for its commit.
struct CommitUnit: Sendable {
    /// Something that only one unit of a batch can use, because the units of a batch are checked before any is written.
    enum Subject: Hashable {
        case entity(EntityReference)
        case idempotencyKey(BytewiseString)
        case unique(index: Int64, value: IndexValue)
        case lane(Int64)
        case message(UUID)
    }

    let changes: ChangeSet
    let work: [StatementWork]
    let subjects: Set<Subject>

    /// Length of its documents, messages, and plain SQL in bytes.
    let byteCount: Int

    /// - Throws: ``HeadraceStorage/StoreError`` if the store can't keep the changes.
    init(_ changes: ChangeSet, numbers: PostgresSchemaIDs) throws {
        let references = changes.writes.map(\.document.reference) + changes.deletions.map(\.reference)
        if let undeclared = references.first(where: { numbers.kind($0.kind) == nil }) {
            throw StoreError.undeclaredEntity(undeclared)
        }
        try TextLimit.require(changes)
        work = changes.work.compactMap { $0 as? StatementWork }
        for statement in work { try statement.requireText() }
        var subjects: Set<Subject> = []
        for reference in references + changes.requirements.map(\.reference) { subjects.insert(.entity(reference)) }
        func insert(_ entries: Set<ChangeSet.IndexEntry>, of kind: String) {
            for entry in entries {
                guard let index = numbers.index(entry.index, of: kind), index.isUnique else { continue }
                subjects.insert(.unique(index: index.id, value: entry.value))
            }
        }
        for write in changes.writes {
            insert(write.addedEntries.union(write.removedEntries), of: write.document.reference.kind)
        }
        for deletion in changes.deletions { insert(deletion.removedEntries, of: deletion.reference.kind) }
        for record in changes.idempotencyRecords { subjects.insert(.idempotencyKey(BytewiseString(record.key))) }
        for settlement in changes.settlements { subjects.insert(.lane(settlement.lease.lane)) }
        for id in changes.scheduled.map(\.id) + changes.cancellations { subjects.insert(.message(id)) }
        byteCount = changes.byteCount + work.reduce(0) { $0 + $1.byteCount }
        try TextLimit.require(byteCount)
        self.changes = changes
        self.subjects = subjects
    }
}

extension ChangeSet {
    /// Length of the documents and messages in bytes.
    fileprivate var byteCount: Int {
        var count = 0
        for document in writes.map(\.document) + requirements { count += document.json.count }
        for event in events { count += event.json.count }
        for message in scheduled { count += message.json.count }
        for record in idempotencyRecords { count += record.command.count + record.outcome.count }
        return count
    }
}

extension StatementWork {
    /// Length of the SQL and its arguments in bytes.
    fileprivate var byteCount: Int { arguments.reduce(sql.utf8.count) { $0 + ($1.text?.utf8.count ?? 0) } }
}
#endif
