//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceCore
import HeadraceStorage

/// An event-sourced entity of a context, with its stream and its new events.
final class SourcedEntity: TrackedEntity {
    /// The stored stream, or `nil` if the entity is new.
    private let stored: LoadedStream?

    /// The new events, which were applied to the entity.
    private var applied: [any DurableDomainEvent] = []

    /// Tracks a new entity.
    override init(_ entity: any StoredEntity, kind: EntityKind, reference: EntityReference) {
        stored = nil
        super.init(entity, kind: kind, reference: reference)
    }

    /// Tracks an entity that was just decoded from the state of `stored`.
    init<Entity: StoredEntity>(_ entity: Entity, kind: EntityKind, stored: LoadedStream) {
        self.stored = stored
        super.init(entity, kind: kind, storedAs: stored.state, isCanonical: true, expectsChange: false)
    }

    /// Tracks a new entity in place of a deleted entity.
    override init(_ entity: any StoredEntity, replacing deleted: TrackedEntity) {
        stored = (deleted as? SourcedEntity)?.stored
        super.init(entity, replacing: deleted)
    }

    override func noteApplied(_ event: any DomainEvent) {
        if let event = event as? any DurableDomainEvent { applied.append(event) }
    }

    override func addChange(to changes: inout ChangeSet) throws {
        guard let entity = entity as? any EventSourcedEntity else { return }
        try addChange(of: entity, to: &changes)
    }

    private func addChange<Entity: EventSourcedEntity>(of entity: Entity, to changes: inout ChangeSet) throws {
        if isDeleted {
            guard let stored else { return }
            changes.requirements.append(stored.document)
            changes.deletions.append(
                ChangeSet.Deletion(
                    reference: reference,
                    expectedVersion: stored.document.version,
                    removedEntries: storedEntries
                )
            )
            return delete(stored, in: &changes)
        }
        try requireIdentifier(of: entity)
        let state = try DocumentCoding.encode(entity)
        if isRead, applied.isEmpty, state == stored?.state.json { return }
        try requireResult(of: entity, state)

        let references =
            isRead ? stored?.references : nil
        let stream = references ?? StreamReferences(kind: StreamReferences.kind(of: Entity.self), stream: .version7())
        let before = isRead ? stored?.eventCount ?? 0 : 0
        let after = before + applied.count
        let lastSnapshot = isRead ? stored?.storedSnapshot : nil
        let isDue = after - (isRead ? stored?.usedSnapshot ?? 0 : 0) >= max(1, Entity.snapshotInterval)
        let head = StreamHead(
            id: entity.id,
            stream: stream.stream,
            events: after,
            snapshot: isDue ? after : lastSnapshot
        )

        // The entity comes first, so that a conflict names it.
        if let stored { changes.requirements.append(stored.document) }
        let entries = kind.hasIndexes ? DocumentCoding.entries(of: entity) : []
        changes.writes.append(
            ChangeSet.Write(
                document: StoredDocument(
                    reference: reference,
                    version: (stored?.document.version ?? 0) + 1,
                    schemaVersion: Entity.schemaVersion,
                    json: try DocumentCoding.encode(head)
                ),
                removedEntries: storedEntries.subtracting(entries),
                addedEntries: entries.subtracting(storedEntries)
            )
        )
        let now = SystemValues.currentDate
        for (index, event) in applied.enumerated() {
            let document = try StreamEvent.document(of: event, at: stream.event(before + index + 1), recordedAt: now)
            changes.writes.append(ChangeSet.Write(document: document))
        }
        if isDue {
            changes.writes.append(
                ChangeSet.Write(
                    document: StoredDocument(
                        reference: stream.snapshot(after),
                        version: 1,
                        schemaVersion: Entity.schemaVersion,
                        json: state
                    )
                )
            )
            if let lastSnapshot { changes.deletions.append(ChangeSet.Deletion(stream.snapshot(lastSnapshot))) }
        }
        if !isRead, let stored { delete(stored, in: &changes) }
    }

    /// Throws unless `state` is the result of the events.
    private func requireResult<Entity: EventSourcedEntity>(of entity: Entity, _ state: Data) throws {
        let copy: Entity
        if isRead, let stored { copy = try DocumentCoding.decode(stored.state) } else { copy = Entity(id: entity.id) }
        let table = EventTable.of(Entity.self)
        for event in applied { table.apply(event, to: copy) }
        if try DocumentCoding.encode(copy) != state {
            throw EventSourcingError.mismatch(reference, events: applied.count)
        }
    }

    /// Deletes the documents of the stream.
    private func delete(_ stream: LoadedStream, in changes: inout ChangeSet) {
        if let snapshot = stream.storedSnapshot {
            changes.deletions.append(ChangeSet.Deletion(stream.references.snapshot(snapshot)))
        }
        if stream.eventCount > 0 {
            changes.deletions += (1...stream.eventCount).map { ChangeSet.Deletion(stream.references.event($0)) }
        }
    }
}

extension ChangeSet.Deletion {
    /// Deletes a document of a stream, which is never changed.
    fileprivate init(_ reference: EntityReference) {
        self.init(reference: reference, expectedVersion: 1)
    }
}
