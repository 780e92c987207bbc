// SPDX-License-Identifier: Apache-2.0

#if Postgres
import DomainTestSupport
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceStorage
import Testing

/// Versions of a program that can share a schema.
@Suite(.needsServer, .timeLimit(.minutes(5))) struct SharedSchemaTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func eachVersionFindsInItsIndexesWhatTheOthersWrite(seed: UInt64) async throws {
        try await withSchema { schema in
            var trial = VersionTrial(seed: seed) {
                try await PostgresStore(url: schema.url, entities: [$0], configuration: schema.configuration)
            }
            try await trial.run(steps: 150)
        }
    }

    @Test func documentsOfAnOlderProgramAreIndexedOnce() async throws {
        try await withStores { schema, older, newer in
            for number in 0..<30 { try await older.insertPlain("\(number)") }

            #expect(try await newer.titles(from: "title of 1", to: "title of 2").count == 11)

            let count = try await schema.run(
                "SELECT count(*) FROM unindexed JOIN entity_index ON id = index_id WHERE name = 'title'")
            #expect(try count.first?.integer(0) == 0)
            #expect(try await newer.titles(from: "title of 1", to: "title of 2").count == 11)
        }
    }

    @Test func aValueThatAnOlderProgramStoresIsTakenForTheNewerProgram() async throws {
        try await withStores { _, older, newer in
            try await older.insertPlain("a", title: "one")

            let error = await #expect(throws: StoreError.self) { try await newer.commit(.note("b", title: "one")) }

            #expect(error?.code == .uniqueViolation)
            #expect(error?.message.contains("'a'") == true)
            try await older.commit(
                ChangeSet(deletions: [.init(reference: .init(kind: "note", key: "a"), expectedVersion: 1)]))
            try await newer.commit(.note("b", title: "one"))
            #expect(try await newer.titles(from: "one", to: "z").map(\.reference.key) == ["b"])
        }
    }

    @Test func anOlderProgramCanStoreAValueTwiceAndTheNewerProgramFindsBoth() async throws {
        try await withStores { _, older, newer in
            try await newer.commit(.note("a"))
            try await older.insertPlain("b", title: "title of a")

            #expect(try await newer.titles(from: "title of a", to: "title of b").count == 2)
            let error = await #expect(throws: StoreError.self) {
                try await newer.commit(.note("c", title: "title of a"))
            }
            #expect(error?.code == .uniqueViolation)
        }
    }

    @Test func aProgramWritesWhileANewIndexIsBuilt() async throws {
        try await withSchema { schema in
            let older = try await schema.openPlain()
            for number in 0..<3 { try await older.insertPlain("\(number)") }
            let (began, beginning) = AsyncStream<Void>.makeStream()
            let hasWritten = DispatchSemaphore(value: 0)
            let kind = EntitySchema.Kind(
                name: "note", schemaVersion: 1, indexes: [.init(name: "key", isUnique: true, holdsOneValue: true)]
            ) { document in
                if document.reference.key == "1" && document.version == 1 {
                    beginning.yield()
                    _ = hasWritten.wait(timeout: .now() + 20)
                }
                return [.init(index: "key", value: .text("\(document.reference.key) \(document.version)"))]
            }
            let declared = try EntitySchema(kinds: [kind])

            async let opening = Task.detached {
                try await PostgresStore(url: schema.url, schema: declared, configuration: schema.configuration)
            }.value
            for await _ in began { break }
            try await older.insertPlain("1", version: 2)
            try await older.insertPlain("4")
            hasWritten.signal()

            let query = DocumentQuery(kind: "note", order: .init(index: "key", isDescending: false))
            #expect(try await opening.fetch(query).map(\.version) == [1, 2, 1, 1])
        }
    }

    @Test func anIndexThatCannotBeUniqueIsRemovedAgain() async throws {
        try await withSchema { schema in
            let older = try await schema.openPlain()
            try await older.insertPlain("a", title: "one")
            try await older.insertPlain("b", title: "one")

            let error = await #expect(throws: StoreError.self) { try await schema.open() }

            #expect(error?.code == .uniqueViolation)
            try await older.insertPlain("c")
            let rows = try await schema.run(
                """
                SELECT (SELECT count(*) FROM entity_index) + (SELECT count(*) FROM index_entry)
                    + (SELECT count(*) FROM unindexed)
                """)
            #expect(try rows.first?.integer(0) == 0)
        }
    }

    @Test func noRequestFailsWhileANewerProgramStarts() async throws {
        try await withSchema { schema in
            let older = try await schema.openPlain()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    group.addTask {
                        for number in 0..<100 {
                            try await older.insertPlain("\(task)-\(number)")
                            _ = try await older.fetch(DocumentQuery(kind: "note", limit: 3))
                        }
                    }
                }
                group.addTask {
                    for number in 0..<4 {
                        let newer = try await schema.open()
                        try await newer.commit(.note("new-\(number)"))
                        #expect(try await newer.titles(from: "title of new", to: "u").count == number + 1)
                        _ = try await schema.openPlain()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await schema.open().titles(from: "title of ", to: "u").count == 304)
        }
    }

    private func withStores(
        _ body: (_ schema: TestSchema, _ older: PostgresStore, _ newer: PostgresStore) async throws -> Void
    ) async throws {
        try await withSchema { schema in
            let older = try await schema.openPlain()
            try await body(schema, older, try await schema.open())
        }
    }
}

/// The entity of the tests without indexes.
private final class PlainNote: StoredEntity {
    static let entityName = "note"

    var id = ""
    var raisedEvents = RaisedEvents()
}

extension TestSchema {
    /// Opens a store of notes without indexes.
    fileprivate func openPlain() async throws -> PostgresStore {
        try await PostgresStore(url: url, entities: [PlainNote.self], configuration: configuration)
    }
}

extension PostgresStore {
    /// Inserts a note as a program without indexes.
    fileprivate func insertPlain(_ key: String, title: String? = nil, version: Int = 1) async throws {
        let json = ChangeSet.note(key, title: title).writes[0].document.json
        let reference = EntityReference(kind: "note", key: key)
        let document = StoredDocument(reference: reference, version: version, schemaVersion: 1, json: json)
        try await commit(ChangeSet(writes: [.init(document: document)]))
    }

    fileprivate func titles(from lower: String, to upper: String) async throws -> [StoredDocument] {
        try await fetch(
            DocumentQuery(
                kind: "note",
                conditions: [.init(index: "title", test: .range(from: .text(lower), below: .text(upper)))],
                order: .init(index: "title", isDescending: false)))
    }
}
#endif
