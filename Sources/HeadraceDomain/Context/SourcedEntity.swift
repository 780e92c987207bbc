// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceStorage

/// An event-sourced entity of a context, with its stream and its new events.
final class SourcedEntity: TrackedEntity {
    /// The stored stream, or `nil` if the entity is new.
    private let stored: LoadedStream?

    /// The new events, which were applied to the entity.
    private var applied: [any DurableDomainEvent] = []

    /// The type of the first event that has an effect and was raised without it, or `nil`.
    private var unapplied: (any DomainEvent.Type)?

    /// Tracks a new entity.
    override init(_ entity: any StoredEntity, kind: EntityKind, reference: EntityReference) {
        stored = nil
        super.init(entity, kind: kind, reference: reference)
    }

    /// Tracks an entity that was just decoded from the state of `stored`.
    init<Entity: StoredEntity>(_ entity: Entity, kind: EntityKind, stored: LoadedStream, expectsChange: Bool) {
        self.stored = stored
        super.init(entity, kind: kind, storedAs: stored.state, isCanonical: true, expectsChange: expectsChange)
    }

    /// Tracks a new entity in place of a deleted entity.
    override init(_ entity: any StoredEntity, replacing deleted: TrackedEntity) {
        stored = (deleted as? SourcedEntity)?.stored
        super.init(entity, replacing: deleted)
    }

    override func noteTaken(_ entry: RaisedEvents.Entry) {
        if entry.isApplied {
            if let event = entry.event as? any DurableDomainEvent { applied.append(event) }
        } else if let eventSourced = kind.eventSourced, EventTable.of(eventSourced).contains(type(of: entry.event)) {
            unapplied = unapplied ?? type(of: entry.event)
        }
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
                    removedEntries: try storedEntries()
                )
            )
            return delete(stored, in: &changes)
        }
        try requireIdentifier(of: entity)
        if let unapplied { throw EventSourcingError.notApplied(unapplied, reference) }
        let state = try DocumentCoding.encode(entity)
        if isRead, applied.isEmpty, state == stored?.state.json { return }

        // A new entity in place of a deleted entity begins a new stream.
        let current = isRead ? stored : nil
        let stream =
            current?.references
            ?? StreamReferences(kind: StreamReferences.kind(of: Entity.self), stream: .version7())
        let before = current?.eventCount ?? 0
        let events = try eventDocuments(of: entity, state, from: current?.state, in: stream, after: before)
        let after = before + events.count
        let lastSnapshot = current?.storedSnapshot
        let hasUnusable = lastSnapshot != nil && current?.usedSnapshot == nil
        let isDue = hasUnusable || after - (current?.usedSnapshot ?? 0) >= max(1, Entity.snapshotInterval)
        let head = StreamHead(
            id: entity.id,
            stream: stream.stream,
            events: after,
            snapshot: isDue ? after : lastSnapshot
        )

        // The entity comes first, so that a conflict names it.
        if let stored { changes.requirements.append(stored.document) }
        let entries = kind.hasIndexes ? DocumentCoding.entries(of: entity) : []
        let storedEntries = try storedEntries()
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
        for document in events { changes.writes.append(ChangeSet.Write(document: document)) }
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

    /// Returns the documents of the new events.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - state: Its encoded state.
    ///   - original: The stored state, or `nil` if the entity is new.
    ///   - stream: The stream.
    ///   - count: Number of events that are stored in the stream.
    /// - Returns: The documents, in the order of the events.
    /// - Throws: ``EventSourcingError`` unless the documents can be read again and lead from `original` to `state`.
    private func eventDocuments<Entity: EventSourcedEntity>(
        of entity: Entity,
        _ state: Data,
        from original: StoredDocument?,
        in stream: StreamReferences,
        after count: Int
    ) throws -> [StoredDocument] {
        let copy: Entity = try original.map { try DocumentCoding.decode($0) } ?? Entity(id: entity.id)
        let table = EventTable.of(Entity.self)
        let now = SystemValues.currentDate
        var documents: [StoredDocument] = []
        documents.reserveCapacity(applied.count)
        for event in applied {
            let number = count + documents.count + 1
            let (document, json) = try StreamEvent.document(of: event, at: stream.event(number), recordedAt: now)
            table.apply(try readAgain(event, from: json, number: number), to: copy)
            documents.append(document)
        }
        if try DocumentCoding.encode(copy) != state {
            throw EventSourcingError.mismatch(reference, events: applied.count)
        }
        return documents
    }

    /// Returns a new event as a later load will read it, without the members that aren't encoded.
    private func readAgain<Event: DurableDomainEvent>(
        _ event: Event,
        from json: Data,
        number: Int
    ) throws -> any DomainEvent {
        do {
            return try DocumentCoding.decode(Event.self, from: json)
        } catch {
            throw EventSourcingError.unreadableNew(Event.self, number, of: reference, cause: error)
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

/// A snapshot of a store, as a read-only store.
final class SnapshotStore: EntityStore {
    let schema: EntitySchema
    private let moment: any EntityReader

    init(of schema: EntitySchema, at moment: any EntityReader) {
        self.schema = schema
        self.moment = moment
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await moment.find(reference)
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await moment.find(all: references)
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await moment.fetch(query)
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        try await moment.count(query)
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await moment.events(after: position, limit: limit)
    }

    func snapshot() async throws -> any EntityReader { moment }

    func commit(_ changes: ChangeSet) async throws {
        throw StoreError.readOnly(changes.writes.first?.document.reference ?? changes.deletions.first?.reference)
    }

    /// Does nothing: the owner of the store closes it.
    func close() throws {}
}
