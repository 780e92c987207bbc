//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// The content of an ``InMemoryStore``.
///
/// A change set is checked before it is applied, so a refused change set changes nothing.
struct InMemoryState {
    private struct IndexName: Hashable {
        let kind: String
        let index: String
    }

    /// One value in one index.
    private struct Place: Hashable {
        let index: IndexName
        let value: IndexValue
    }

    private var documents = InMemoryDocuments()
    private(set) var events: [EventRecord] = []
    private(set) var lastPosition: Int64 = 0
    var deliveries = InMemoryDeliveries()
    private var keys: [IndexName: [IndexValue: Set<BytewiseString>]] = [:]

    /// Returns the document of an entity.
    func document(of reference: EntityReference) -> StoredDocument? {
        documents.find(reference)
    }

    // MARK: Changes

    /// Throws if `changes` can't be applied.
    func check(_ changes: ChangeSet, schema: EntitySchema) throws {
        for deletion in changes.deletions where !schema.contains(deletion.reference.kind) {
            throw StoreError.undeclaredEntity(deletion.reference)
        }
        for write in changes.writes where !schema.contains(write.document.reference.kind) {
            throw StoreError.undeclaredEntity(write.document.reference)
        }

        // First, because an earlier effect of the same command is the cause of all other conflicts.
        try deliveries.checkKeys(of: changes)

        for required in changes.requirements {
            let stored = document(of: required.reference)
            if stored != required { throw StoreError.versionConflict(required: required, stored: stored) }
        }

        var freed: [Place: Set<BytewiseString>] = [:]
        for deletion in changes.deletions {
            let stored = document(of: deletion.reference)?.version
            try requireVersion(deletion.expectedVersion, of: deletion.reference, stored: stored)
            for entry in deletion.removedEntries {
                freed[place(of: entry, deletion.reference), default: []].insert(BytewiseString(deletion.reference.key))
            }
        }
        // A unit of work adds its requirements in the order of its writes, so most writes need no other look-up.
        var required = changes.requirements[...]
        for write in changes.writes {
            let reference = write.document.reference
            if let met = required.first, met.reference == reference {
                try requireVersion(write.expectedVersion, of: reference, stored: met.version)
                required = required.dropFirst()
            } else {
                try requireVersion(write.expectedVersion, of: reference, stored: document(of: reference)?.version)
            }
            for entry in write.removedEntries {
                freed[place(of: entry, reference), default: []].insert(BytewiseString(reference.key))
            }
        }

        try deliveries.checkLeases(of: changes)

        var taken: [Place: BytewiseString] = [:]
        for write in changes.writes where !write.addedEntries.isEmpty {
            let reference = write.document.reference
            for entry in write.addedEntries where schema.isUnique(entry.index, of: reference.kind) {
                let place = place(of: entry, reference)
                let others = (keys[place.index]?[place.value] ?? []).subtracting(freed[place] ?? [])
                if let other = taken.updateValue(BytewiseString(reference.key), forKey: place) ?? others.first {
                    throw StoreError.uniqueViolation(reference, entry: entry, takenBy: other.text)
                }
            }
        }
    }

    /// Applies `changes`, which must have passed the checks.
    mutating func apply(_ changes: ChangeSet) {
        for deletion in changes.deletions {
            documents.remove(deletion.reference)
            remove(deletion.removedEntries, of: deletion.reference)
        }
        for write in changes.writes {
            let reference = write.document.reference
            documents.update(write.document)
            remove(write.removedEntries, of: reference)
            for entry in write.addedEntries {
                let place = place(of: entry, reference)
                keys[place.index, default: [:]][place.value, default: []].insert(BytewiseString(reference.key))
            }
        }
        deliveries.apply(changes, firstPosition: lastPosition + 1)
        for event in changes.events {
            lastPosition += 1
            events.append(EventRecord(position: lastPosition, event: event))
        }
    }

    /// Removes events that no delivery needs, the oldest first; returns the number of removed events.
    mutating func removeEvents(before date: Date, limit: Int) -> Int {
        let old = events.filter { $0.event.recordedAt < date && !deliveries.needs($0.position) }.prefix(max(0, limit))
        let positions = Set(old.map(\.position))
        events.removeAll { positions.contains($0.position) }
        return positions.count
    }

    private func requireVersion(_ expected: Int, of reference: EntityReference, stored: Int?) throws {
        if expected == 0 {
            if stored != nil { throw StoreError.alreadyExists(reference) }
        } else if stored != expected {
            throw StoreError.versionConflict(reference, expected: expected, stored: stored)
        }
    }

    private mutating func remove(_ entries: Set<ChangeSet.IndexEntry>, of reference: EntityReference) {
        for entry in entries {
            let place = place(of: entry, reference)
            keys[place.index]?[place.value]?.remove(BytewiseString(reference.key))
            if keys[place.index]?[place.value]?.isEmpty == true { keys[place.index]?[place.value] = nil }
        }
    }

    private func place(of entry: ChangeSet.IndexEntry, _ reference: EntityReference) -> Place {
        Place(index: IndexName(kind: reference.kind, index: entry.index), value: entry.value)
    }

    // MARK: Queries

    /// Returns at most `limit` events after a position.
    func events(after position: Int64, limit: Int) -> [EventRecord] {
        Array(events[events.index(after: position)...].prefix(max(0, limit)))
    }

    /// Returns the documents that match `query`.
    func fetch(_ query: DocumentQuery) -> [StoredDocument] {
        var found: Set<BytewiseString>?
        for condition in query.conditions {
            let matches = keys(in: query.kind, condition)
            found = found?.intersection(matches) ?? matches
        }
        let matching = found.map(Array.init) ?? Array(documents[query.kind].keys)

        var ordered: [DocumentQuery.Place]
        if let order = query.order {
            var best: [BytewiseString: IndexValue] = [:]
            let wanted = Set(matching)
            for (value, keys) in keys[IndexName(kind: query.kind, index: order.index)] ?? [:] {
                for key in keys where wanted.contains(key) {
                    best[key] = best[key].map { order.isDescending ? max($0, value) : min($0, value) } ?? value
                }
            }
            ordered = best.map { DocumentQuery.Place(value: $0.value, key: $0.key.text) }
        } else {
            ordered = matching.map { DocumentQuery.Place(value: nil, key: $0.text) }
        }
        let isDescending = query.order?.isDescending ?? false
        if let last = query.after {
            ordered.removeAll { isDescending ? $0 >= last : $0 <= last }
        }
        ordered.sort()
        if isDescending { ordered.reverse() }

        let stored = documents[query.kind]
        return ordered.prefix(query.limit.map { max(0, $0) } ?? ordered.count)
            .compactMap { stored[BytewiseString($0.key)] }
    }

    private func keys(in kind: String, _ condition: DocumentQuery.Condition) -> Set<BytewiseString> {
        let index = keys[IndexName(kind: kind, index: condition.index)] ?? [:]
        var matches: Set<BytewiseString> = []
        switch condition.test {
        case .oneOf(let values):
            for value in values { matches.formUnion(index[value] ?? []) }
        case .range:
            for (value, keys) in index where condition.test.accepts(value) { matches.formUnion(keys) }
        }
        return matches
    }
}
