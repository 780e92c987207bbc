// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage
import HeadraceStoreContract
import HeadraceTesting
import Testing

@Suite struct InMemoryStoreTests {
    @Test(.timeLimit(.minutes(5)), arguments: StoreContract.checks(for: .inMemory))
    func fulfilsTheContract(check: StoreContract.Check) async throws {
        try await check.run { entities in
            try InMemoryStore(entities: entities)
        }
    }

    @Test func ofSeveralTakenValuesTheErrorNamesTheFirst() async throws {
        let indexes = (10..<30).map { EntitySchema.Index(name: "\($0)", isUnique: true, holdsOneValue: true) }
        let kind = EntitySchema.Kind(name: "seat", schemaVersion: 1, indexes: indexes) { _ in [] }
        let store = InMemoryStore(schema: try EntitySchema(kinds: [kind]))
        let entries = Set(indexes.map { ChangeSet.IndexEntry(index: $0.name, value: .text("taken")) })
        func insert(_ key: String) async throws {
            let document = StoredDocument(
                reference: EntityReference(kind: "seat", key: key), version: 1, schemaVersion: 1, json: Data("{}".utf8))
            try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: document, addedEntries: entries)]))
        }
        try await insert("a")

        let error = await #expect(throws: StoreError.self) { try await insert("b") }

        #expect(error?.indexEntry?.index == "10")
    }

    @Test func ofEquallyOldIdempotencyRecordsTheFirstKeysArePrunedFirst() async throws {
        let store = try InMemoryStore(entities: [])
        let date = Date(timeIntervalSinceReferenceDate: 0)
        let keys = (10..<50).map { "\($0)" }
        var changes = ChangeSet()
        changes.idempotencyRecords = keys.map {
            IdempotencyRecord(key: $0, command: Data(), outcome: Data(), date: date)
        }
        try await store.commit(changes)

        _ = try await store.prune(PruneRequest(idempotencyRecordsBefore: date.addingTimeInterval(1), limit: 20))

        var left: [String] = []
        for key in keys { if try await store.idempotencyRecord(for: key) != nil { left.append(key) } }
        #expect(left == Array(keys[20...]))
    }
}
