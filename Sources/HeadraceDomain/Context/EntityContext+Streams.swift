// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

extension EntityContext {
    /// Returns stored events of an event-sourced entity, in order.
    ///
    /// Events of this unit of work are not included: they are stored when it commits.
    ///
    /// - Parameters:
    ///   - type: The type of entity.
    ///   - id: The identifier of the entity.
    ///   - number: The number of the last known event; 0 for the start.
    ///   - limit: Maximum number of events.
    /// - Returns: The events; empty if the entity doesn't exist, or if another writer deletes it during the read.
    /// - Throws: ``HeadraceStorage/StoreError``; ``EventSourcingError`` with the code `unreadableEvent` or `missingEvent`;
    ///   `CancellationError`.
    public nonisolated(nonsending) func history<Entity: EventSourcedEntity>(
        of type: Entity.Type,
        id: Entity.ID,
        after number: Int = 0,
        limit: Int
    ) async throws -> [StreamEvent] {
        try requireDeclared(EntityKind.of(type), type: type)
        let reference = EntityReference(kind: Entity.entityName, key: id.storageKey)
        var missing: (stream: StreamReferences, error: EventSourcingError)?
        while let document = try await store.find(reference) {
            let (stream, count) = try StreamFold<Entity>(document).extent
            // An event is removed only with its whole stream.
            if let missing, missing.stream == stream { throw missing.error }
            let first = max(0, number)
            let last = first + min(max(0, limit), max(0, count - first))
            do {
                return try await events(of: reference, stream, first..<last, EventTable.of(type).registry)
            } catch let error as EventSourcingError where error.code == .missingEvent {
                missing = (stream, error)
            }
        }
        return []
    }

    /// Reads the events of `stream` after the first `numbers.lowerBound`, up to the event `numbers.upperBound`.
    private nonisolated(nonsending) func events(
        of entity: EntityReference,
        _ stream: StreamReferences,
        _ numbers: Range<Int>,
        _ registry: EventRegistry
    ) async throws -> [StreamEvent] {
        var events: [StreamEvent] = []
        while numbers.lowerBound + events.count < numbers.upperBound {
            let first = numbers.lowerBound + events.count + 1
            let part = first...min(numbers.upperBound, first + StreamReader.limit - 1)
            let wanted = part.map(stream.event)
            var found: [EntityReference: StoredDocument] = [:]
            for document in try await store.find(all: wanted) { found[document.reference] = document }
            for (number, reference) in zip(part, wanted) {
                guard let document = found[reference] else {
                    throw EventSourcingError.missing(number, of: entity)
                }
                do {
                    events.append(try StreamEvent(document, number: number, registry: registry))
                } catch {
                    throw EventSourcingError.unreadable(number, of: entity, cause: error)
                }
            }
        }
        return events
    }

    /// Reads the streams of the entities of `documents` and keeps the folded states until the end of the unit of work.
    ///
    /// - Returns: The documents whose states are known now; other writers may have changed or deleted some since.
    nonisolated(nonsending) func readStreams<Entity: EventSourcedEntity>(
        of documents: [StoredDocument],
        as type: Entity.Type
    ) async throws -> [StoredDocument] {
        // The context doesn't read the state of an entity that it tracks.
        let unknown = documents.filter { tracked[$0.reference] == nil && streams?[$0] == nil }
        let read = try await StreamReader.read(unknown, as: type, from: store)
        var current: [EntityReference: StoredDocument] = [:]
        // In place: a copy would make each read as long as all reads before it.
        if streams == nil { streams = [:] }
        for stream in read {
            streams?[stream.document] = stream
            current[stream.document.reference] = stream.document
        }
        let asked = Set(unknown.map(\.reference))
        return documents.compactMap { asked.contains($0.reference) ? current[$0.reference] : $0 }
    }
}
