// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension Draft {
    var reference: EntityReference {
        EntityReference(kind: ContractEntity.entityName, key: key)
    }

    /// Returns the draft in its stored form.
    func document(version: Int, kind: String = ContractEntity.entityName) throws -> StoredDocument {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return StoredDocument(
            reference: EntityReference(kind: kind, key: key),
            version: version,
            schemaVersion: 1,
            json: try encoder.encode(ContractEntity(self))
        )
    }

    /// The index entries of the draft.
    var entries: Set<ChangeSet.IndexEntry> {
        var entries: Set<ChangeSet.IndexEntry> = []
        if let rank { entries.insert(ChangeSet.IndexEntry(index: "rank", value: rank.indexValue)) }
        for label in labels { entries.insert(ChangeSet.IndexEntry(index: "label", value: label.indexValue)) }
        for code in codes { entries.insert(ChangeSet.IndexEntry(index: "code", value: code.indexValue)) }
        return entries
    }
}

/// Short calls to build change sets.
extension ChangeSet {
    func inserting(_ drafts: Draft...) throws -> ChangeSet {
        try inserting(drafts)
    }

    func inserting(_ drafts: [Draft], kind: String = ContractEntity.entityName) throws -> ChangeSet {
        var changes = self
        for draft in drafts {
            changes.writes.append(
                Write(document: try draft.document(version: 1, kind: kind), addedEntries: draft.entries)
            )
        }
        return changes
    }

    func updating(_ old: Draft, at version: Int, to new: Draft) throws -> ChangeSet {
        var changes = self
        changes.writes.append(try .updating(old, at: version, to: new))
        return changes
    }

    func deleting(_ draft: Draft, at version: Int) -> ChangeSet {
        var changes = self
        changes.deletions.append(.deleting(draft, at: version))
        return changes
    }

    func recording(_ events: NewEvent...) -> ChangeSet {
        var changes = self
        changes.events += events
        return changes
    }
}

extension ChangeSet.Write {
    static func inserting(_ draft: Draft) throws -> Self {
        Self(document: try draft.document(version: 1), addedEntries: draft.entries)
    }

    static func updating(_ old: Draft, at version: Int, to new: Draft) throws -> Self {
        Self(
            document: try new.document(version: version + 1),
            removedEntries: old.entries.subtracting(new.entries),
            addedEntries: new.entries.subtracting(old.entries)
        )
    }
}

extension ChangeSet.Deletion {
    static func deleting(_ draft: Draft, at version: Int) -> Self {
        Self(reference: draft.reference, expectedVersion: version, removedEntries: draft.entries)
    }
}

extension NewEvent {
    /// Returns an event that is identified by its number.
    static func numbered(_ number: UInt8, stream: EntityReference? = nil) -> NewEvent {
        NewEvent(
            id: UUID(uuid: (1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, number)),
            name: "numbered",
            version: 1,
            stream: stream,
            recordedAt: Date(timeIntervalSince1970: 1_700_000_000.123),
            json: Data(#"{"number":\#(number)}"#.utf8)
        )
    }
}
