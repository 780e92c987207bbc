// SPDX-License-Identifier: Apache-2.0

public import Foundation
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

/// An event in the stream of an ``EventSourcedEntity``.
public struct StreamEvent: Sendable {
    /// The number of the event in its stream, counting from 1.
    public let number: Int

    /// The time at which the unit of work committed the event, to the millisecond.
    public let recordedAt: Date

    /// The event, in the current version of its type.
    public let event: any DurableDomainEvent
}

extension StreamEvent {
    private struct Head: Decodable {
        let name: String
        let recordedAt: Int64
    }

    /// The same JSON, if another program has written its members in another order.
    private struct Whole: Decodable {
        let name: String
        let recordedAt: Int64
        let event: JSONValue
    }

    /// The bytes between the head and the event.
    ///
    /// A JSON string can't contain them, because its quotation marks have a backslash.
    private static let separator = Data(#","event":"#.utf8)

    /// Returns the document of an event, and the JSON of the event alone.
    ///
    /// - Throws: `EncodingError`; the errors of the event.
    static func document<Event: DurableDomainEvent>(
        of event: Event,
        at reference: EntityReference,
        recordedAt: Date
    ) throws -> (document: StoredDocument, event: Data) {
        let event = try DocumentCoding.encode(event)
        var json = Data(#"{"name":"#.utf8)
        json += try DocumentCoding.encode(Event.eventName)
        json += Data(#","recordedAt":\#(recordedAt.milliseconds)"#.utf8)
        json += separator
        json += event
        json += Data("}".utf8)
        let document = StoredDocument(
            reference: reference, version: 1, schemaVersion: Event.eventVersion, json: json)
        return (document, event)
    }

    /// Reads the event `number` from its document.
    ///
    /// - Throws: ``EventError``; `DecodingError`.
    init(_ document: StoredDocument, number: Int, registry: EventRegistry) throws {
        let (name, milliseconds, json): (String, Int64, Data)
        if let range = document.json.range(of: Self.separator),
            let head = try? DocumentCoding.decode(Head.self, from: document.json[..<range.lowerBound] + Data("}".utf8))
        {
            (name, milliseconds) = (head.name, head.recordedAt)
            json = Data(document.json[range.upperBound...].dropLast())
        } else {
            let whole = try DocumentCoding.decode(Whole.self, from: document.json)
            (name, milliseconds) = (whole.name, whole.recordedAt)
            json = try DocumentCoding.encode(whole.event)
        }
        self.number = number
        recordedAt = Date(milliseconds: milliseconds)
        event = try registry.decode(json, name: name, version: document.schemaVersion)
    }
}

/// The document of an event-sourced entity: where its stream is, and how long it is.
struct StreamHead<ID: EntityIdentifier>: Codable {
    /// The identifier of the entity.
    let id: ID

    /// The identifier of the stream.
    ///
    /// An entity that is deleted and inserted again has another stream, so a reader can't mix the events of both.
    let stream: UUID

    /// Number of events in the stream.
    let events: Int

    /// The number of events in the state of the snapshot; `nil` if there is none.
    let snapshot: Int?
}

/// The references of the documents of one stream.
struct StreamReferences: Hashable {
    let kind: String
    let stream: UUID

    /// The kind of the documents of the streams of `type`.
    static func kind<Entity: EventSourcedEntity>(of type: Entity.Type) -> String { "\(Entity.entityName).stream" }

    /// The event `number`, counting from 1.
    func event(_ number: Int) -> EntityReference {
        let digits = number.description
        // The order of the keys is the order of the events.
        let zeros = String(repeating: "0", count: max(0, 12 - digits.utf8.count))
        return EntityReference(kind: kind, key: "\(stream.storageKey)/\(zeros)\(digits)")
    }

    /// The snapshot of the state after the event `number`.
    func snapshot(_ number: Int) -> EntityReference {
        EntityReference(kind: kind, key: "\(stream.storageKey)/snapshot-\(number.description)")
    }
}

/// Reads the streams of entities and folds their states.
enum StreamReader {
    /// Maximum number of documents to read at once.
    static let limit = 1_000

    /// The number of reads after which a snapshot that is replaced during each of them is no longer waited for.
    private static let maximumRounds = 3

    /// Returns the entities of `documents` with their states, in the same order.
    ///
    /// An entity that another writer has deleted since is left out, and if another writer has inserted it again, the new
    /// entity is returned. If another writer has replaced the snapshot since, the newer state is returned.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; ``EventSourcingError``; `CancellationError`.
    nonisolated(nonsending) static func read<Entity: EventSourcedEntity>(
        _ documents: [StoredDocument],
        as type: Entity.Type,
        from reader: any EntityReader
    ) async throws -> [LoadedStream] {
        var folds = try documents.map { try StreamFold<Entity>($0) }
        var rounds = 1
        try await fold(&folds, from: reader)
        while true {
            let incomplete = folds.indices.filter { folds[$0].isIncomplete }
            if incomplete.isEmpty { break }
            // Since its entity was read, another writer has deleted the stream or replaced its snapshot; or it is damaged.
            var current: [EntityReference: StoredDocument] = [:]
            for document in try await reader.find(all: incomplete.map { folds[$0].document.reference }) {
                current[document.reference] = document
            }
            var deleted: Set<Int> = []
            for index in incomplete {
                guard let document = current[folds[index].document.reference] else {
                    deleted.insert(index)
                    continue
                }
                let isSame = document == folds[index].document
                let isLate = try rounds >= maximumRounds && folds[index].isSameStream(as: document)
                if isSame || isLate {
                    try folds[index].acceptMissingDocument()
                } else {
                    folds[index] = try StreamFold(document)
                }
            }
            if !deleted.isEmpty { folds = folds.indices.filter { !deleted.contains($0) }.map { folds[$0] } }
            rounds += 1
            try await fold(&folds, from: reader)
        }
        return try folds.map { try $0.result() }
    }

    private nonisolated(nonsending) static func fold<Entity: EventSourcedEntity>(
        _ folds: inout [StreamFold<Entity>],
        from reader: any EntityReader
    ) async throws {
        var first = 0
        while first < folds.count {
            var wanted: [EntityReference] = []
            var parts: [(fold: Int, range: Range<Int>)] = []
            var index = first
            while index < folds.count, wanted.count < limit {
                let next = folds[index].nextReferences(limit: limit - wanted.count)
                if next.isEmpty, index == first {
                    first += 1
                } else if !next.isEmpty {
                    parts.append((index, wanted.count..<wanted.count + next.count))
                    wanted += next
                }
                index += 1
            }
            if wanted.isEmpty { continue }
            var found: [EntityReference: StoredDocument] = [:]
            for document in try await reader.find(all: wanted) { found[document.reference] = document }
            let documents = wanted.map { found[$0] }
            for part in parts { try folds[part.fold].take(documents[part.range]) }
        }
    }
}
