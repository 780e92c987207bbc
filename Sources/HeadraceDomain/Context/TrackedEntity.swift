//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceStorage

/// An entity of a context with its stored state, which detects changes.
final class TrackedEntity {
    let entity: any StoredEntity
    let reference: EntityReference

    /// The stored document, or `nil` if the entity is new.
    private let stored: StoredDocument?

    /// The stored index entries of the entity.
    private let storedEntries: Set<ChangeSet.IndexEntry>

    var isDeleted = false

    /// Whether the entity was read from the store; `false` if it was inserted.
    private let isRead: Bool

    /// Tracks a new entity.
    init(_ entity: any StoredEntity, reference: EntityReference) {
        self.entity = entity
        self.reference = reference
        stored = nil
        storedEntries = []
        isRead = false
    }

    /// Tracks an entity that was read from the store.
    init(_ entity: some StoredEntity, storedAs document: StoredDocument) {
        self.entity = entity
        reference = document.reference
        stored = document
        storedEntries = DocumentCoding.entries(of: entity)
        isRead = true
    }

    /// Tracks a new entity in place of a deleted entity.
    init(_ entity: any StoredEntity, replacing deleted: TrackedEntity) {
        self.entity = entity
        reference = deleted.reference
        stored = deleted.stored
        storedEntries = deleted.storedEntries
        isRead = false
    }

    /// The entity as a rolled-back entity, or `nil` if it was inserted, because it may be inserted again.
    var rolledBack: RolledBackEntity? {
        isRead ? stored.map { RolledBackEntity(entity, storedAs: $0) } : nil
    }

    /// Adds the write or the deletion of the entity to `changes`, if there is one.
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
        guard let json = try changedJSON(of: entity) else { return nil }

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

    /// Returns the JSON of `entity`, or `nil` if that is the stored state.
    ///
    /// An earlier version of the type can have stored the same state in another form, so other bytes are compared with
    /// the bytes of the decoded document.
    private func changedJSON<Entity: StoredEntity>(of entity: Entity) throws -> Data? {
        guard let stored else { return try DocumentCoding.encode(entity) }
        guard let json = try DocumentCoding.encode(entity, unlessEqualTo: stored.json) else { return nil }
        let original: Entity = try DocumentCoding.decode(stored)
        return try DocumentCoding.encode(original, unlessEqualTo: json) == nil ? nil : json
    }
}
