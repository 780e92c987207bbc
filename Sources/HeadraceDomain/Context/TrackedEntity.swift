//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceStorage

/// One entity of a context, with what the store holds of it; finds out whether it was changed.
final class TrackedEntity {
    let entity: any StoredEntity
    let reference: EntityReference

    /// What the store holds; `nil` where the entity is new.
    private let stored: StoredDocument?

    /// What the store's indexes hold of it.
    private let storedEntries: Set<ChangeSet.IndexEntry>

    var isDeleted = false

    /// Whether the store gave the entity; `false` for one that was inserted.
    private let isRead: Bool

    /// Tracks a new entity.
    init(_ entity: any StoredEntity, reference: EntityReference) {
        self.entity = entity
        self.reference = reference
        stored = nil
        storedEntries = []
        isRead = false
    }

    /// Tracks an entity as it was read.
    init(_ entity: some StoredEntity, storedAs document: StoredDocument) {
        self.entity = entity
        reference = document.reference
        stored = document
        storedEntries = DocumentCoding.entries(of: entity)
        isRead = true
    }

    /// Tracks a new entity in the place of one that was deleted.
    init(_ entity: any StoredEntity, replacing deleted: TrackedEntity) {
        self.entity = entity
        reference = deleted.reference
        stored = deleted.stored
        storedEntries = deleted.storedEntries
        isRead = false
    }

    /// The entity as one that was read before a roll-back; `nil` for one that was inserted, which may be inserted again.
    var rolledBack: RolledBackEntity? {
        isRead ? stored.map { RolledBackEntity(entity, storedAs: $0) } : nil
    }

    /// Adds to `changes` what must be written or deleted, if anything.
    func addChange(to changes: inout ChangeSet) throws {
        if isDeleted {
            if let stored {
                changes.requirements.append(stored)
                changes.deletions.append(
                    ChangeSet.Deletion(
                        reference: reference,
                        expectedVersion: stored.version,
                        removedEntries: storedEntries
                    )
                )
            }
        } else if let write = try write(of: entity) {
            if let stored { changes.requirements.append(stored) }
            changes.writes.append(write)
        }
    }

    private func write<Entity: StoredEntity>(of entity: Entity) throws -> ChangeSet.Write? {
        let current = EntityReference(to: entity)
        if current != reference {
            throw StoreError.identifierChanged(reference, to: current.key)
        }
        let json = try DocumentCoding.encode(entity)
        if let stored, try isSameState(json, as: stored, of: Entity.self) { return nil }

        let entries = DocumentCoding.entries(of: entity)
        return ChangeSet.Write(
            document: StoredDocument(
                reference: reference,
                version: (stored?.version ?? 0) + 1,
                schemaVersion: Entity.schemaVersion,
                json: json
            ),
            removedEntries: storedEntries.subtracting(entries),
            addedEntries: entries.subtracting(storedEntries)
        )
    }

    /// Whether `json` is the state that is stored, possibly by an earlier version of the type which wrote the
    /// same state in other words.
    private func isSameState<Entity: StoredEntity>(
        _ json: Data,
        as stored: StoredDocument,
        of type: Entity.Type
    ) throws -> Bool {
        if json == stored.json { return true }
        let original: Entity = try DocumentCoding.decode(stored)
        return try DocumentCoding.encode(original) == json
    }
}
