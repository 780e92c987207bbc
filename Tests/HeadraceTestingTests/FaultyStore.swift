// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage
import Synchronization

/// A store that breaks one guarantee, so that a test can check whether the contract detects it.
final class FaultyStore: EntityStore {
    enum Fault: String, CaseIterable, Sendable {
        case acceptsStaleVersions, overwritesOnInsertion, dropsEvents, repeatsEvents, storesEventsOfRefusedChanges
        case storesFirstWriteOfRefusedChanges, forgetsRemovedEntries, addsNoEntries, sharesUniqueValues
        case ignoresOrder, ignoresLimit, ignoresPlace, movesSnapshots, ignoresConditions, refusesExchanges,
            reportsOtherErrors, losesTheTask, countsOneTooMany, refusesToClose
    }

    private let base: InMemoryStore
    private let fault: Fault
    private let calls = Mutex(0)

    var schema: EntitySchema { base.schema }

    init(_ fault: Fault, entities: [any StoredEntity.Type]) throws {
        base = try InMemoryStore(entities: entities)
        self.fault = fault
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        try await base.find(reference)
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        try await base.fetch(
            DocumentQuery(
                kind: query.kind,
                conditions: fault == .ignoresConditions ? [] : query.conditions,
                order: fault == .ignoresOrder ? nil : query.order,
                after: fault == .ignoresPlace ? nil : query.after,
                limit: fault == .ignoresLimit ? nil : query.limit
            )
        )
    }

    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await base.events(after: fault == .repeatsEvents ? position - 1 : position, limit: limit)
    }

    func snapshot() async throws -> any EntityReader {
        fault == .movesSnapshots ? base : try await base.snapshot()
    }

    func close() throws {
        if fault == .refusesToClose { throw StoreError(code: .unusable, message: "Something went wrong.") }
    }

    func count(_ query: DocumentQuery) async throws -> Int {
        let count = try await fetch(query).count
        return fault == .countsOneTooMany ? count + 1 : count
    }

    func commit(_ changes: ChangeSet) async throws {
        do {
            try await base.commit(try await changed(changes))
        } catch let error as StoreError {
            switch fault {
            case .storesEventsOfRefusedChanges:
                try await base.commit(ChangeSet(events: changes.events))
            case .storesFirstWriteOfRefusedChanges:
                try? await base.commit(ChangeSet(writes: Array(changes.writes.prefix(1))))
            case .reportsOtherErrors:
                throw StoreError(code: .unusable, message: "Something went wrong.")
            default:
                break
            }
            throw error
        }
        // The outcome is lost: it is stored and reported as cancelled.
        if fault == .losesTheTask { try Task.checkCancellation() }
    }

    private func changed(_ changes: ChangeSet) async throws -> ChangeSet {
        var changed = changes
        switch fault {
        case .acceptsStaleVersions, .overwritesOnInsertion:
            changed.writes = []
            for write in changes.writes {
                let stored = try await base.find(write.document.reference)?.version ?? 0
                let isWanted = (write.expectedVersion == 0) == (fault == .overwritesOnInsertion)
                changed.writes.append(
                    ChangeSet.Write(
                        document: StoredDocument(
                            reference: write.document.reference,
                            version: isWanted ? stored + 1 : write.document.version,
                            schemaVersion: write.document.schemaVersion,
                            json: write.document.json
                        ),
                        removedEntries: write.removedEntries,
                        addedEntries: write.addedEntries
                    )
                )
            }
        case .dropsEvents:
            changed.events = calls.withLock { calls in
                calls += 1
                return calls % 3 == 0 ? [] : changes.events
            }
        case .forgetsRemovedEntries, .addsNoEntries:
            changed.writes = changes.writes.map { write in
                ChangeSet.Write(
                    document: write.document,
                    removedEntries: fault == .forgetsRemovedEntries ? [] : write.removedEntries,
                    addedEntries: fault == .addsNoEntries ? [] : write.addedEntries
                )
            }
        case .sharesUniqueValues:
            // A store without the check moves the value from its owner to the new entity.
            changed.writes = changes.writes.map { write in
                ChangeSet.Write(
                    document: write.document,
                    removedEntries: write.removedEntries,
                    addedEntries: write.addedEntries.filter {
                        !schema.isUnique($0.index, of: write.document.reference.kind)
                    }
                )
            }
        case .refusesExchanges:
            let freed = Set(changes.writes.flatMap(\.removedEntries))
            for write in changes.writes {
                if let entry = write.addedEntries.first(where: { freed.contains($0) && $0.index == "code" }) {
                    throw StoreError.uniqueViolation(write.document.reference, entry: entry, takenBy: "itself")
                }
            }
        default:
            break
        }
        return changed
    }
}
