// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStorage
import Logging

/// Folds the state of one entity from its snapshot and the later events, which the caller reads.
struct StreamFold<Entity: EventSourcedEntity> {
    /// The document of the entity.
    let document: StoredDocument

    private let head: StreamHead<Entity.ID>
    private let references: StreamReferences
    private let table = EventTable.of(Entity.self)

    private var entity: Entity?

    /// The number of events in the state of `entity`.
    private var count = 0

    /// Whether the stored snapshot was looked for.
    private var hasReadSnapshot = false

    /// The number of the snapshot, if it is stored.
    private var storedSnapshot: Int?

    /// The number of the snapshot, if its state was used.
    private var usedSnapshot: Int?

    /// A document of the stream that is not stored.
    private enum MissingDocument {
        case snapshot, event(Int)
    }

    private var missing: MissingDocument?

    /// Whether the fold has ended early, because a document is not stored.
    var isIncomplete: Bool { missing != nil }

    /// Begins with the document of an entity.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `newerSchema` or `undecodable`.
    init(_ document: StoredDocument) throws {
        if document.schemaVersion > Entity.schemaVersion {
            throw StoreError.newerDocument(document, supported: Entity.schemaVersion)
        }
        self.document = document
        do {
            head = try DocumentCoding.decode(StreamHead<Entity.ID>.self, from: document.json)
        } catch {
            throw StoreError.undecodable(document, as: Entity.self, cause: error)
        }
        references = StreamReferences(kind: StreamReferences.kind(of: Entity.self), stream: head.stream)
    }

    /// The references of the stream, and the number of its events.
    var extent: (references: StreamReferences, count: Int) { (references, head.events) }

    /// Returns the references of the next documents to read, the first of them not more than `limit`; empty at the end.
    func nextReferences(limit: Int) -> [EntityReference] {
        if isIncomplete { return [] }
        var next: [EntityReference] = []
        var count = count
        if !hasReadSnapshot, let snapshot = head.snapshot {
            next.append(references.snapshot(snapshot))
            count = snapshot
        }
        let last = min(head.events, count + max(0, limit - next.count))
        if last > count { next += (count + 1...last).map(references.event) }
        return next
    }

    /// Continues with the documents of `wanted`, the result of ``nextReferences(limit:)``; missing documents are `nil`.
    ///
    /// A missing snapshot or event makes the fold incomplete. An unusable snapshot doesn't: all events are folded instead.
    ///
    /// - Throws: ``EventSourcingError`` with the code `unreadableEvent`.
    mutating func take(_ wanted: ArraySlice<StoredDocument?>) throws {
        var documents = wanted
        if !hasReadSnapshot {
            hasReadSnapshot = true
            if let snapshot = head.snapshot {
                guard let document = documents.popFirst() ?? nil else {
                    missing = .snapshot
                    return
                }
                storedSnapshot = snapshot
                entity = state(of: document)
                // The events that were read with an unusable snapshot are read again, after those before them.
                guard entity != nil else { return }
                usedSnapshot = snapshot
                count = snapshot
            }
        }
        let entity = entity ?? Entity(id: head.id)
        self.entity = entity
        for document in documents {
            guard let document else {
                missing = .event(count + 1)
                return
            }
            do {
                let event = try StreamEvent(document, number: count + 1, registry: table.registry)
                table.apply(event.event, to: entity)
            } catch {
                throw EventSourcingError.unreadable(count + 1, of: self.document.reference, cause: error)
            }
            count += 1
        }
    }

    /// Whether `document`, a later document of the entity, has the same stream.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `newerSchema` or `undecodable`.
    func isSameStream(as document: StoredDocument) throws -> Bool {
        try StreamFold(document).references == references
    }

    /// Continues after a missing document: without the snapshot, the state is folded from all events.
    ///
    /// - Throws: ``EventSourcingError`` with the code `missingEvent`.
    mutating func acceptMissingDocument() throws {
        try requireEvents()
        missing = nil
    }

    private func requireEvents() throws {
        if case .event(let number) = missing { throw EventSourcingError.missing(number, of: document.reference) }
    }

    /// Returns the entity of a snapshot; `nil` if the snapshot has another schema version or is damaged.
    private func state(of snapshot: StoredDocument) -> Entity? {
        if snapshot.schemaVersion != Entity.schemaVersion { return nil }
        do {
            let entity: Entity = try DocumentCoding.decode(snapshot)
            if entity.id == head.id { return entity }
        } catch {
            Logger.current.warning(
                "A snapshot can't be decoded. The state is folded from all events.",
                metadata: ["headrace.entity": "\(document.reference)", "error": "\(error)"]
            )
        }
        return nil
    }

    /// Returns the result, after all documents were taken.
    ///
    /// - Throws: ``EventSourcingError`` with the code `missingEvent`; the errors of the entity's encoding.
    func result() throws -> LoadedStream {
        try requireEvents()
        let state = StoredDocument(
            reference: document.reference,
            version: document.version,
            schemaVersion: Entity.schemaVersion,
            json: try DocumentCoding.encode(entity ?? Entity(id: head.id))
        )
        return LoadedStream(
            document: document,
            state: state,
            references: references,
            eventCount: head.events,
            storedSnapshot: storedSnapshot,
            usedSnapshot: usedSnapshot
        )
    }
}

/// An event-sourced entity as it was read: its document, its stream, and the folded state.
struct LoadedStream {
    /// The document of the entity.
    let document: StoredDocument

    /// The folded state, as a document of the entity.
    let state: StoredDocument

    let references: StreamReferences
    let eventCount: Int

    /// The number of the snapshot, if it is stored.
    let storedSnapshot: Int?

    /// The number of the snapshot, if its state was used.
    let usedSnapshot: Int?
}

extension StreamFold: IndexEntryComputation {
    func nextReferences() -> [EntityReference] { nextReferences(limit: 1_000) }

    mutating func take(_ documents: [EntityReference: StoredDocument]) throws {
        let wanted = nextReferences().map { documents[$0] }
        try take(wanted[...])
        // The store reads all documents at one moment.
        if isIncomplete { try acceptMissingDocument() }
    }

    func entries() throws -> Set<ChangeSet.IndexEntry> {
        let entity: Entity = try DocumentCoding.decode(result().state)
        return DocumentCoding.entries(of: entity)
    }
}
