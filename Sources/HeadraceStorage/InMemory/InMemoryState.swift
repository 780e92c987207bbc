// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The content of an ``InMemoryStore``.
///
/// A change set is checked before it is applied, so a refused change set changes nothing.
struct InMemoryState {
    private struct IndexName: Hashable {
        let kind: String
        let index: String
    }

    /// One value in one index.
    private struct TakenValue: Hashable {
        let index: IndexName
        let value: IndexValue
    }

    private var documents = InMemoryDocuments()
    private(set) var events: [EventRecord] = []
    private(set) var lastPosition: Int64 = 0

    /// The greatest position of an event that was removed.
    private(set) var prunedPosition: Int64 = 0
    var deliveries = InMemoryDeliveries()
    private var indexes: [IndexName: InMemoryIndex] = [:]

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
        if changes.hasMessages { try deliveries.checkKeys(of: changes) }

        for required in changes.requirements where !documents.contains(required) {
            throw StoreError.versionConflict(required: required, stored: document(of: required.reference))
        }

        var freed: [TakenValue: Set<BytewiseString>] = [:]
        for deletion in changes.deletions {
            let stored = document(of: deletion.reference)?.version
            try requireVersion(deletion.expectedVersion, of: deletion.reference, stored: stored)
            for entry in deletion.removedEntries {
                freed[place(of: entry, deletion.reference), default: []].insert(BytewiseString(deletion.reference.key))
            }
        }
        // A unit of work adds its requirements in the order of its writes, so most writes need no other look-up.
        let requirements = changes.requirements
        var index = 0
        for write in changes.writes {
            let reference = write.document.reference
            if index < requirements.count, requirements[index].reference == reference {
                try requireVersion(write.expectedVersion, of: reference, stored: requirements[index].version)
                index += 1
            } else {
                try requireVersion(write.expectedVersion, of: reference, stored: document(of: reference)?.version)
            }
            if write.removedEntries.isEmpty { continue }
            for entry in write.removedEntries {
                freed[place(of: entry, reference), default: []].insert(BytewiseString(reference.key))
            }
        }

        if changes.hasMessages { try deliveries.checkLeases(of: changes) }

        var taken: [TakenValue: BytewiseString] = [:]
        for write in changes.writes where !write.addedEntries.isEmpty {
            let reference = write.document.reference
            var violations: [(entry: ChangeSet.IndexEntry, other: BytewiseString)] = []
            for entry in write.addedEntries where schema.isUnique(entry.index, of: reference.kind) {
                let place = place(of: entry, reference)
                let others = (indexes[place.index]?.keys[place.value] ?? []).subtracting(freed[place] ?? [])
                let other = taken.updateValue(BytewiseString(reference.key), forKey: place) ?? others.min()
                if let other { violations.append((entry, other)) }
            }
            // The entries have no order, so the error names the first one.
            let first = violations.min { ($0.entry.index, $0.entry.value) < ($1.entry.index, $1.entry.value) }
            if let first { throw StoreError.uniqueViolation(reference, entry: first.entry, takenBy: first.other.text) }
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
            if write.addedEntries.isEmpty { continue }
            for entry in write.addedEntries {
                let name = IndexName(kind: reference.kind, index: entry.index)
                indexes[name, default: InMemoryIndex()].insert(entry.value, of: BytewiseString(reference.key))
            }
        }
        if changes.hasMessages { deliveries.apply(changes, firstPosition: lastPosition + 1) }
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
        prunedPosition = max(prunedPosition, positions.max() ?? 0)
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
        if entries.isEmpty { return }
        for entry in entries {
            let name = IndexName(kind: reference.kind, index: entry.index)
            indexes[name]?.remove(entry.value, of: BytewiseString(reference.key))
        }
    }

    private func place(of entry: ChangeSet.IndexEntry, _ reference: EntityReference) -> TakenValue {
        TakenValue(index: IndexName(kind: reference.kind, index: entry.index), value: entry.value)
    }

    // MARK: Queries

    /// Returns at most `limit` events after a position.
    func events(after position: Int64, limit: Int) -> [EventRecord] {
        Array(events[events.index(after: position)...].prefix(max(0, limit)))
    }

    /// Returns the documents that match `query`.
    ///
    /// - Complexity: O(*k* log *n*) for the first *k* of *n* documents in the order of an index, or in the order of the keys,
    ///   once they are sorted; the first such query sorts all.
    mutating func fetch(_ query: DocumentQuery) -> [StoredDocument] {
        var fetch = makeFetch(query)
        return fetch.run()
    }

    /// Returns the execution of `query`, which also counts the entries that it reads.
    mutating func makeFetch(_ query: DocumentQuery) -> InMemoryFetch {
        var names = query.order.map { [$0.index] } ?? []
        for condition in query.conditions {
            if case .range = condition.test { names.append(condition.index) }
        }
        var sorted: [String: SortedIndex] = [:]
        for name in names { sorted[name] = indexes[IndexName(kind: query.kind, index: name)]?.sortedEntries() }
        let isByKey = query.order == nil && query.conditions.isEmpty
        return InMemoryFetch(
            query,
            documents: documents[query.kind],
            keys: isByKey ? documents.sortedKeys(of: query.kind) : nil,
            sorted: sorted
        ) { indexes[IndexName(kind: query.kind, index: $0)]?.keys[$1] ?? [] }
    }
}

/// The documents of an ``InMemoryStore`` by kind and key.
struct InMemoryDocuments {
    private struct Kind {
        let name: String
        var documents: [BytewiseString: StoredDocument] = [:]
        var sortedKeys = SortedOnDemand<SortedChunks<BytewiseString>, BytewiseString>()
    }

    /// A store has few kinds, and comparing their names is faster than hashing one.
    private var kinds: [Kind] = []

    /// The documents of the kind `name`, by key.
    subscript(name: String) -> [BytewiseString: StoredDocument] {
        index(of: name).map { kinds[$0].documents } ?? [:]
    }

    /// Returns the document of an entity, or `nil` if there is none.
    func find(_ reference: EntityReference) -> StoredDocument? {
        index(of: reference.kind).flatMap { kinds[$0].documents[BytewiseString(reference.key)] }
    }

    /// Whether `document` is stored, and not another document of the same entity.
    func contains(_ document: StoredDocument) -> Bool {
        guard let index = index(of: document.reference.kind) else { return false }
        return kinds[index].documents[BytewiseString(document.reference.key)] == document
    }

    /// Keeps `document` instead of the document with the same reference.
    mutating func update(_ document: StoredDocument) {
        let index = index(of: document.reference.kind) ?? add(document.reference.kind)
        let key = BytewiseString(document.reference.key)
        if kinds[index].documents.updateValue(document, forKey: key) == nil {
            kinds[index].sortedKeys.note(.insertion(key))
        }
    }

    /// Removes the document of an entity.
    mutating func remove(_ reference: EntityReference) {
        guard let index = index(of: reference.kind) else { return }
        let key = BytewiseString(reference.key)
        kinds[index].documents[key] = nil
        kinds[index].sortedKeys.note(.removal(key))
    }

    /// Returns the keys of the documents of the kind `name`, in ascending order.
    ///
    /// - Complexity: O(*n* log *n*) in the number of documents at first; then O(*m* log *n*) in the number *m* of changes since
    ///   the last call.
    mutating func sortedKeys(of name: String) -> SortedChunks<BytewiseString> {
        guard let index = index(of: name) else { return SortedChunks() }
        let keys = kinds[index].documents.keys
        return kinds[index].sortedKeys.value(
            orElse: { SortedChunks(sorted: keys.sorted()) },
            insert: { $0.insert($1) },
            remove: { $0.remove($1) }
        )
    }

    private func index(of name: String) -> Int? {
        kinds.firstIndex { $0.name == name }
    }

    private mutating func add(_ name: String) -> Int {
        kinds.append(Kind(name: name))
        return kinds.count - 1
    }
}

/// A snapshot of an ``InMemoryStore``.
final class InMemorySnapshot: EntityReader {
    private let state: Mutex<InMemoryState>
    private let schema: EntitySchema

    init(_ state: InMemoryState, schema: EntitySchema) {
        self.state = Mutex(state)
        self.schema = schema
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try Task.checkCancellation()
        return state.withLock { $0.document(of: reference) }
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try Task.checkCancellation()
        try schema.requireIndexes(of: query)
        return state.withLock { $0.fetch(query) }
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try Task.checkCancellation()
        return state.withLock { $0.events(after: position, limit: limit) }
    }
}
