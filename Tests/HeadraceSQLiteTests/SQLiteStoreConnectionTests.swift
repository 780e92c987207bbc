// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
@testable import HeadraceSQLite
import HeadraceStorage
import Testing

/// The settings, connections and query plans that the store uses.
@Suite(.timeLimit(.minutes(5))) struct SQLiteStoreConnectionTests {
    @Test func commitsAreSynchronousAndTheFileIsInWriteAheadMode() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            for _ in 1...2 {
                let store = try openStore(path)
                #expect(try store.writerPragma("synchronous") == 2)

                try await store.execute { context in
                    if try await context.find(Note.self, id: "a") == nil { context.insert(Note("a")) }
                }

                #expect(try store.writerPragma("synchronous") == 2)
                #expect(try store.writerPragma("foreign_keys") == 1)
                #expect(try withOtherProgram(path) { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
                #expect(
                    try withOtherProgram(path) { try Int.fetchOne($0, sql: "PRAGMA application_id") }
                        == FileOwner.applicationID
                )
                try store.close()
                let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
                #expect(names == ["store.sqlite"])
            }
        }
    }

    @Test func aClosedStoreLeavesEverythingInTheFileEvenIfAnotherStoreIsOpen() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let other = try openStore(path)
            #expect(try await other.noteIDs() == [])
            let store = try openStore(path)
            try await store.insertNotes("a", "b")

            try store.close()

            let copy = folder.path(of: "copy.sqlite")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let copied = try openStore(copy)
            #expect(try await copied.noteIDs() == ["a", "b"])
            #expect(try await other.noteIDs() == ["a", "b"])
            try copied.close()
            try other.close()
        }
    }

    @Test func aCommitIsSeenByAnotherStoreOnTheFile() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let one = try openStore(path)
            let other = try openStore(path)

            try await one.insertNotes("a")
            #expect(try await other.noteIDs() == ["a"])
            try await other.insertNotes("b")
            #expect(try await one.noteIDs() == ["a", "b"])
        }
    }

    @Test func twoStoresOnOneFileLoseNoUpdate() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let stores = try (0..<2).map { _ in
                try openStore(path, configuration: SQLiteStore.Configuration())
            }
            try await stores[0].execute { $0.insert(Note("counter", size: 0)) }

            try await withThrowingTaskGroup { group in
                for writer in 0..<6 {
                    let store = stores[writer % 2]
                    group.addTask {
                        for _ in 0..<15 {
                            var isStored = false
                            while !isStored {
                                do {
                                    try await store.execute { context in
                                        let note = try #require(try await context.find(Note.self, id: "counter"))
                                        note.size += 1
                                        note.raiseEvent(NoteChanged(id: note.id))
                                    }
                                    isStored = true
                                } catch let error as StoreError where error.code == .versionConflict {}
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }

            for store in stores {
                let note = try await store.execute { try await $0.find(Note.self, id: "counter") }
                #expect(note?.size == 90)
                #expect(try await store.events(after: 0, limit: .max).count == 90)
                #expect(try await store.find(EntityReference(kind: "note", key: "counter"))?.version == 91)
            }
        }
    }

    @Test(arguments: [
        DocumentQuery(kind: "note", conditions: [.init(index: "title", test: .oneOf([.text("a")]))]),
        DocumentQuery(kind: "note", conditions: [.init(index: "size", test: .oneOf([.integer(1), .integer(2)]))]),
        DocumentQuery(
            kind: "note",
            conditions: [.init(index: "size", test: .range(from: .integer(1), below: .integer(9)))]
        ),
        DocumentQuery(
            kind: "note",
            conditions: [
                .init(index: "size", test: .oneOf([.integer(1)])), .init(index: "title", test: .oneOf([.text("a")])),
            ],
            limit: 10
        ),
    ])
    func aFetchByAnIndexScansNoTable(query: DocumentQuery) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try openStore(path).close()

            let plan = try withOtherProgram(path) { database in
                let ids = try SchemaIDs.reconcile(EntitySchema([Note.self]), in: database, path: path)
                let statement = try #require(ids.statement(for: query))
                return try Row.fetchAll(
                    database,
                    sql: "EXPLAIN QUERY PLAN " + statement.sql,
                    arguments: StatementArguments(statement.arguments)
                ).map { $0["detail"] as String }
            }

            #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
            #expect(plan.contains { $0.contains("SEARCH entity USING INDEX") && $0.contains("kind=? AND key=?") })
            #expect(plan.contains { $0.contains("SEARCH headrace_index_entry USING PRIMARY KEY (index_id=?") })
        }
    }

    @Test func documentsCanBeReadWithPlainSQL() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path).insertNotes("a")

            let rows = try withOtherProgram(path) { database in
                try String.fetchAll(database, sql: "SELECT document ->> 'title' FROM headrace_entity WHERE key = 'a'")
            }

            #expect(rows == ["title of a"])
        }
    }
}
#endif
