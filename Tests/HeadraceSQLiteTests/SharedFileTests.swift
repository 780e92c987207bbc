// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import Testing

/// Versions of a program that can share a file.
@Suite(.timeLimit(.minutes(5))) struct SharedFileTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func eachVersionFindsInItsIndexesWhatTheOthersWrite(seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var trial = VersionTrial(seed: seed) { try openStore(path, entities: [$0]) }
            try await trial.run(steps: 300)
        }
    }

    @Test func manyDocumentsOfAnOlderProgramAreIndexedOnce() async throws {
        try await withStores { older, newer in
            for number in 0..<250 { try await older.insertLoose("\(number)") }

            #expect(try await newer.titles(from: "title of 1", to: "title of 2").count == 111)

            #expect(try unindexed(newer) == 0)
            #expect(try await newer.titles(from: "title of 1", to: "title of 2").count == 111)
        }
    }

    @Test func aValueThatAnOlderProgramStoresIsTakenForTheNewerProgram() async throws {
        try await withStores { older, newer in
            try await older.insertLoose("a", title: "one")

            let error = await #expect(throws: StoreError.self) {
                try await newer.execute { $0.insert(Note("b", title: "one")) }
            }

            #expect(error?.code == .uniqueViolation)
            #expect(error?.message.contains("'a'") == true)
            try await older.execute { context in
                try await context.find(BareNote.self, id: "a")?.title = "two"
            }
            try await newer.execute { $0.insert(Note("b", title: "one")) }
            #expect(try await newer.titles(from: "one", to: "z").count == 2)
        }
    }

    @Test func anOlderProgramCanStoreAValueTwiceAndTheNewerProgramFindsBoth() async throws {
        try await withStores { older, newer in
            try await newer.insertNotes("a")
            try await older.insertLoose("b", title: "title of a")

            #expect(try await newer.titles(from: "title of a", to: "title of b").count == 2)
            let error = await #expect(throws: StoreError.self) {
                try await newer.execute { $0.insert(Note("c", title: "title of a")) }
            }
            #expect(error?.code == .uniqueViolation)
        }
    }

    @Test func anEntityThatAnOlderProgramHasDeletedLeavesItsUniqueValue() async throws {
        try await withStores { older, newer in
            try await newer.insertNotes("a")
            try await older.execute { context in
                if let note = try await context.find(BareNote.self, id: "a") { context.delete(note) }
            }

            try await newer.execute { $0.insert(Note("b", title: "title of a")) }

            #expect(try await newer.titles(from: "title of a", to: "title of b").count == 1)
        }
    }

    @Test func noRequestFailsWhileANewerProgramStarts() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path, entities: [BareNote.self])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    group.addTask {
                        for number in 0..<200 {
                            try await older.insertLoose("\(task)-\(number)")
                            _ = try await older.fetch(DocumentQuery(kind: "note", limit: 3))
                        }
                    }
                }
                group.addTask {
                    for number in 0..<5 {
                        let newer = try openStore(path)
                        try await newer.insertNotes("new-\(number)")
                        #expect(try await newer.titles(from: "title of new", to: "u").count == number + 1)
                        _ = try openStore(path, entities: [BareNote.self])
                    }
                }
                try await group.waitForAll()
            }
            let newer = try openStore(path)
            #expect(try await newer.titles(from: "title of ", to: "u").count == 605)
        }
    }

    @Test func aLiveQueryOfTheNewerProgramSeesAnEntityOfTheOlderProgram() async throws {
        try await withStores { older, newer in
            let (clock, tick) = TickingClock.make()
            var states = newer.observe(polling: .seconds(1), clock: clock) {
                try await $0.fetch(Note.self).map(\.id)
            }.makeAsyncIterator()
            #expect(try await states.next() == [])

            try await older.insertLoose("a")
            tick.yield()

            #expect(try await states.next() == ["a"])
        }
    }

    private func withStores(_ body: (_ older: SQLiteStore, _ newer: SQLiteStore) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path, entities: [BareNote.self])
            try await body(older, try openStore(path))
        }
    }

    private func unindexed(_ store: SQLiteStore) throws -> Int? {
        try withOtherProgram(store.path) {
            // Both indexes miss the documents, and the query uses one of them.
            try Int.fetchOne(
                $0,
                sql: """
                    SELECT count(*) FROM headrace_unindexed JOIN headrace_entity_index AS entity_index
                    ON entity_index.id = index_id WHERE name = 'title'
                    """)
        }
    }
}

extension SQLiteStore {
    /// Inserts a note as a program without indexes.
    fileprivate func insertLoose(_ id: String, title: String? = nil) async throws {
        let json = Data(#"{"id":"\#(id)","title":"\#(title ?? "title of \(id)")","size":0}"#.utf8)
        let reference = EntityReference(kind: "note", key: id)
        let document = StoredDocument(reference: reference, version: 1, schemaVersion: 1, json: json)
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
