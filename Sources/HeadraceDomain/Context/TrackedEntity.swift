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

    /// The type that computes the index entries of ``stored``; another type can replace a deleted entity.
    private let storedType: any StoredEntity.Type

    /// Whether the entity, as it was read, encodes to the bytes of ``stored``; `false` if that is unknown.
    private let encodesAsStored: Bool

    /// Whether the store has contained the entity when it was read.
    var isStored: Bool { stored != nil }

    /// The index entries of ``stored``; `nil` until they are needed.
    private var knownEntries: Set<ChangeSet.IndexEntry>?

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
        storedType = type(of: entity)
        encodesAsStored = false
        knownEntries = []
        isRead = false
    }

    /// Tracks an entity that was just decoded from `document`.
    ///
    /// `isCanonical` tells whether the entity encodes to the bytes of `document`; `false` if that is unknown. `expectsChange`
    /// decides on speed only: whether to look now or at the commit how the entity was encoded and indexed.
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
        storedType = type(of: entity)
        // If the entity will be changed, it is faster to encode it now than to decode and encode it again in the end.
        encodesAsStored = isCanonical || (expectsChange && Self.encodes(entity, as: document.json))
        if !kind.hasIndexes {
            knownEntries = []
        } else if expectsChange {
            knownEntries = DocumentCoding.entries(of: entity)
        }
        isRead = true
    }

    /// Tracks a new entity in place of a deleted entity.
    init(_ entity: any StoredEntity, replacing deleted: TrackedEntity) {
        self.entity = entity
        kind = deleted.kind
        reference = deleted.reference
        stored = deleted.stored
        storedType = deleted.storedType
        encodesAsStored = deleted.encodesAsStored
        knownEntries = deleted.knownEntries
        isRead = false
        deleted.isReplaced = true
    }

    /// The entity as a rolled-back entity, or `nil` if it was inserted, because it may be inserted again.
    var rolledBack: RolledBackEntity? {
        isRead ? stored.map { RolledBackEntity(entity, storedAs: $0) } : nil
    }

    /// Returns the stored index entries of the entity.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` if they must be computed and the stored document can't be decoded.
    final func storedEntries() throws -> Set<ChangeSet.IndexEntry> {
        if let knownEntries { return knownEntries }
        let entries = try stored.map { try Self.entries(of: $0, as: storedType) } ?? []
        knownEntries = entries
        return entries
    }

    private static func entries<Entity: StoredEntity>(
        of document: StoredDocument,
        as type: Entity.Type
    ) throws -> Set<ChangeSet.IndexEntry> {
        let entity: Entity = try DocumentCoding.decode(document)
        return DocumentCoding.entries(of: entity)
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
                        removedEntries: try storedEntries()
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
        let storedEntries = try storedEntries()
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

/// The entities that a context tracks, in the order in which they were read or inserted.
struct TrackedEntities {
    /// Number of entities up to which comparing references is faster than hashing one.
    private static let fewCount = 8

    /// All entities, including those that were replaced.
    private(set) var all: [TrackedEntity] = []

    /// The indices of the entities in ``all`` that aren't replaced, once there are more than a few.
    private var places: [EntityReference: Int] = [:]

    /// The entity of `reference`, or `nil` if it is unknown.
    subscript(reference: EntityReference) -> TrackedEntity? {
        if all.count > Self.fewCount { return places[reference].map { all[$0] } }
        return all.first { !$0.isReplaced && $0.reference == reference }
    }

    /// The entity of `kind` with `key`, or `nil` if it is unknown.
    subscript(kind: EntityKind, key: String) -> TrackedEntity? {
        if all.count > Self.fewCount { return self[EntityReference(kind: kind.name, key: key)] }
        return all.first {
            !$0.isReplaced && $0.reference.key.hasSameBytes(as: key)
                // Two types may have the same name.
                && ($0.kind === kind || $0.kind.name.hasSameBytes(as: kind.name))
        }
    }

    /// Adds `entity`, which replaces the entity of the same reference.
    mutating func append(_ entity: TrackedEntity) {
        all.append(entity)
        if all.count <= Self.fewCount { return }
        if places.isEmpty {
            for (index, entity) in all.enumerated() { places[entity.reference] = index }
        } else {
            places[entity.reference] = all.count - 1
        }
    }
}

/// An entity that matches a query, with its place in the query's order.
struct FetchedEntity<Entity: StoredEntity> {
    let tracked: TrackedEntity
    let entity: Entity
    let place: DocumentQuery.Place

    /// Returns `nil` if a condition doesn't hold, or if the entity has no value in the order's index.
    init?(_ tracked: TrackedEntity, conditions: [EntityCondition<Entity>], order: EntityOrder<Entity>?) {
        guard let entity = tracked.entity as? Entity,
            conditions.allSatisfy({ $0.index.values(entity).contains(where: $0.test.accepts) })
        else { return nil }
        var value: IndexValue?
        if let order {
            let values = order.index.values(entity)
            value = order.isDescending ? values.max() : values.min()
            if value == nil { return nil }
        }
        place = DocumentQuery.Place(value: value, key: tracked.reference.key)
        self.tracked = tracked
        self.entity = entity
    }
}

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

/// The entities that a context had read before a roll-back, and that the program still holds.
///
/// The context no longer tracks them, so a later change of such an entity would be lost. The next commit reports such a
/// change. The references are weak, because the program can't change an entity that it no longer holds.
struct RolledBackEntities {
    private var entities: [RolledBackEntity] = []

    /// Adds all entities of `added` that are still alive, in their current states.
    mutating func add(_ added: [RolledBackEntity]) {
        entities.removeAll { $0.entity == nil }
        for added in added where added.entity != nil {
            added.acceptCurrentState()
            entities.append(added)
        }
    }

    /// Removes `entity`, which belongs to the current unit of work from now on.
    mutating func remove(_ entity: some StoredEntity) {
        if entities.isEmpty { return }
        entities.removeAll { $0.entity == nil || $0.entity === entity }
    }

    /// Throws if an entity was changed, or has raised an event, since the roll-back.
    ///
    /// - Parameter isKnown: Whether the current unit of work knows the entity of a reference.
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `rolledBack`.
    mutating func requireUnchanged(_ isKnown: (EntityReference) -> Bool) throws {
        if entities.isEmpty { return }
        entities.removeAll { $0.entity == nil }
        for entity in entities where entity.isChanged {
            // The program has done what the message asks for: it has found the entity again.
            if entity.wasReported, isKnown(entity.reference) {
                entity.acceptCurrentState()
                continue
            }
            entity.report()
            throw StoreError.rolledBack(entity.reference)
        }
    }
}

/// An entity that was read before a roll-back.
final class RolledBackEntity {
    let reference: EntityReference
    private(set) weak var entity: (any StoredEntity)?
    private(set) var wasReported = false

    /// States that aren't reported: the state that was read, and the states at roll-backs.
    private var acceptedStates: [Data]

    private var eventCount = 0

    init(_ entity: any StoredEntity, storedAs document: StoredDocument) {
        self.entity = entity
        reference = document.reference
        acceptedStates = [document.json]
    }

    /// Whether the entity has new events, or a state that is not among the accepted states.
    var isChanged: Bool {
        guard let entity else { return false }
        if entity.raisedEvents.count > eventCount { return true }
        // An entity that can't be encoded has changed: it was decoded.
        guard let state = try? DocumentCoding.encode(entity) else { return true }
        return !acceptedStates.contains(state)
    }

    func acceptCurrentState() {
        guard let entity else { return }
        eventCount = entity.raisedEvents.count
        if let state = try? DocumentCoding.encode(entity), !acceptedStates.contains(state) {
            acceptedStates.append(state)
        }
    }

    /// Notes that the change was reported, and drops the events, which belong to no unit of work.
    func report() {
        wasReported = true
        entity?.raisedEvents.takeAll { _ in }
        eventCount = 0
    }
}
