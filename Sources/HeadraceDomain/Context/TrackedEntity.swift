// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

/// An entity of a context with its stored state, which detects changes.
class TrackedEntity {
    let entity: any StoredEntity
    let kind: EntityKind
    let reference: EntityReference

    /// The stored document, or `nil` if the entity is new.
    private let stored: StoredDocument?

    /// Whether the entity, as it was read, encodes to the bytes of ``stored``; `false` if that is unknown.
    private let encodesAsStored: Bool

    /// Whether the store has contained the entity when it was read.
    var isStored: Bool { stored != nil }

    /// The stored index entries of the entity.
    let storedEntries: Set<ChangeSet.IndexEntry>

    var isDeleted = false

    /// Whether another entity was inserted in place of this one after it was deleted.
    private(set) var isReplaced = false

    /// Whether the entity was read from the store; `false` if it was inserted.
    let isRead: Bool

    /// Tracks a new entity.
    init(_ entity: any StoredEntity, kind: EntityKind, reference: EntityReference) {
        self.entity = entity
        self.kind = kind
        self.reference = reference
        stored = nil
        encodesAsStored = false
        storedEntries = []
        isRead = false
    }

    /// Tracks an entity that was just decoded from `document`.
    ///
    /// `isCanonical` tells whether the entity encodes to the bytes of `document`; `false` if that is unknown. `expectsChange`
    /// decides on speed only: whether to look now or at the commit how the entity was encoded.
    init<Entity: StoredEntity>(
        _ entity: Entity,
        kind: EntityKind,
        storedAs document: StoredDocument,
        isCanonical: Bool,
        expectsChange: Bool
    ) {
        self.entity = entity
        self.kind = kind
        reference = document.reference
        stored = document
        // If the entity will be changed, it is faster to encode it now than to decode and encode it again in the end.
        encodesAsStored = isCanonical || (expectsChange && Self.encodes(entity, as: document.json))
        storedEntries = kind.hasIndexes ? DocumentCoding.entries(of: entity) : []
        isRead = true
    }

    /// Tracks a new entity in place of a deleted entity.
    init(_ entity: any StoredEntity, replacing deleted: TrackedEntity) {
        self.entity = entity
        kind = deleted.kind
        reference = deleted.reference
        stored = deleted.stored
        encodesAsStored = deleted.encodesAsStored
        storedEntries = deleted.storedEntries
        isRead = false
        deleted.isReplaced = true
    }

    /// The entity as a rolled-back entity, or `nil` if it was inserted, because it may be inserted again.
    var rolledBack: RolledBackEntity? {
        isRead ? stored.map { RolledBackEntity(entity, storedAs: $0) } : nil
    }

    /// Notes an event that the unit of work has taken from the entity.
    func noteTaken(_ entry: RaisedEvents.Entry) {}

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
        try requireIdentifier(of: entity)
        let json = try changedJSON(of: entity)
        if isRead { kind.note(isChanged: json != nil) }
        guard let json else { return nil }

        let document = StoredDocument(
            reference: reference,
            version: (stored?.version ?? 0) + 1,
            schemaVersion: Entity.schemaVersion,
            json: json
        )
        if !kind.hasIndexes { return ChangeSet.Write(document: document) }
        let entries = DocumentCoding.entries(of: entity)
        return ChangeSet.Write(
            document: document,
            removedEntries: storedEntries.subtracting(entries),
            addedEntries: entries.subtracting(storedEntries)
        )
    }

    /// Whether the entity, which was read, differs from its stored state.
    ///
    /// An entity that can't be encoded has changed, because it was decoded.
    var isChanged: Bool { isChanged(entity) }

    private func isChanged(_ entity: some StoredEntity) -> Bool {
        do {
            return try changedJSON(of: entity) != nil
        } catch {
            return true
        }
    }

    /// Throws if the identifier of `entity` has changed.
    final func requireIdentifier(of entity: some StoredEntity) throws {
        let key = entity.id.storageKey
        if !key.hasSameBytes(as: reference.key) {
            throw StoreError.identifierChanged(reference, to: key)
        }
    }

    /// Returns the JSON of `entity`, or `nil` if that is the stored state.
    ///
    /// An earlier version of the type can have stored the same state in another form, and a type may change values when
    /// it decodes them. So other bytes are compared with the bytes of the entity as it was read.
    private func changedJSON<Entity: StoredEntity>(of entity: Entity) throws -> Data? {
        guard let stored else { return try DocumentCoding.encode(entity) }
        guard let json = try DocumentCoding.encode(entity, unlessEqualTo: stored.json) else { return nil }
        if encodesAsStored { return json }
        let original: Entity = try DocumentCoding.decode(stored)
        return Self.encodes(original, as: json) ? nil : json
    }

    /// Whether the JSON of `entity` is `json`; `false` if it can't be encoded.
    private static func encodes(_ entity: some StoredEntity, as json: Data) -> Bool {
        do {
            return try DocumentCoding.encode(entity, unlessEqualTo: json) == nil
        } catch {
            return false
        }
    }
}
