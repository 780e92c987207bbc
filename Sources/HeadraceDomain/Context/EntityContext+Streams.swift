//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    /// - Returns: The events; empty if the entity doesn't exist.
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
        guard let document = try await store.find(reference) else { return [] }
        let (references, count) = try StreamFold<Entity>(document).extent
        let first = max(0, number)
        let last = first + min(max(0, limit), max(0, count - first))
        if last == first { return [] }
        let wanted = (first + 1...last).map(references.event)
        let found = Dictionary(
            uniqueKeysWithValues: try await store.find(all: wanted).map { ($0.reference, $0) })
        let registry = EventTable.of(type).registry
        return try zip(first + 1...last, wanted).map { number, wanted in
            guard let document = found[wanted] else { throw EventSourcingError.missing(number, of: reference) }
            do {
                return try StreamEvent(document, number: number, registry: registry)
            } catch {
                throw EventSourcingError.unreadable(number, of: reference, cause: error)
            }
        }
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
        var known = streams ?? [:]
        for stream in read {
            known[stream.document] = stream
            current[stream.document.reference] = stream.document
        }
        streams = known
        let asked = Set(unknown.map(\.reference))
        return documents.compactMap { asked.contains($0.reference) ? current[$0.reference] : $0 }
    }
}
