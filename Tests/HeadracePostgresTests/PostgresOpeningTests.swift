//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceStorage
import Testing

@Suite(.needsServer, .timeLimit(.minutes(2))) struct PostgresOpeningTests {
    @Test func storesThatOpenAnEmptySchemaAtTheSameTimeShareIt() async throws {
        try await withSchema { schema in
            let stores = try await withThrowingTaskGroup(of: PostgresStore.self) { group in
                for _ in 0..<6 { group.addTask { try await schema.open() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            for (number, store) in stores.enumerated() { try await store.commit(.note("\(number)")) }

            for store in stores {
                #expect(try await store.events(after: 0, limit: 9).count == 6)
            }
            let kinds = try await schema.run("SELECT count(*) FROM entity_kind").first?.integer(0)
            #expect(kinds == 1)
        }
    }

    @Test func theSchemaOfAnotherProgramIsRefusedAndUnchanged() async throws {
        try await withSchema { schema in
            try await schema.run("CREATE SCHEMA \(schema.quotedName)", "CREATE TABLE customer (id bigint)")

            let error = await #expect(throws: StoreError.self) { try await schema.open() }

            #expect(error?.code == .unusable)
            let tables = try await schema.run(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")
            #expect(try tables.rows.map { try $0.text(0) } == ["customer"])
        }
    }

    @Test func laterTablesAreRefused() async throws {
        try await withSchema { schema in
            try await schema.open().close()
            try await schema.run("UPDATE store SET tables = tables + 1")

            let error = await #expect(throws: StoreError.self) { try await schema.open() }

            #expect(error?.code == .newerSchema)
        }
    }

    @Test func aStoreWithAnIndexThatAnotherProgramHasReplacedRefusesQueriesAndCommits() async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            _ = try await PostgresStore(
                url: schema.url, entities: [LooseNote.self], configuration: schema.configuration)

            let read = await #expect(throws: StoreError.self) { try await store.fetch(DocumentQuery(kind: "note")) }
            let commit = await #expect(throws: StoreError.self) { try await store.commit(.note("a")) }

            #expect(read?.code == .schemaChanged)
            #expect(commit?.code == .schemaChanged)
            #expect(try await store.find(EntityReference(kind: "note", key: "a")) == nil)
        }
    }

    @Test func aNewTypeOfEntityDoesNotAffectOpenStores() async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            _ = try await PostgresStore(
                url: schema.url, entities: [Note.self, Memo.self], configuration: schema.configuration)

            try await store.commit(.note("a"))

            #expect(try await store.fetch(DocumentQuery(kind: "note")).count == 1)
        }
    }

    @Test(arguments: [
        ("postgresql://headrace@127.0.0.1:1/postgres", StoreError.Code.unreachable),
        ("postgresql://headrace@/postgres?host=/no/such/folder", .unreachable),
    ])
    func aUrlWithoutAServerIsUnreachable(url: String, code: StoreError.Code) async throws {
        let error = await #expect(throws: StoreError.self) {
            try await PostgresStore(url: url, entities: [Note.self])
        }

        #expect(error?.code == code)
    }

    @Test func anUnknownDatabaseIsUnusable() async throws {
        try await withSchema { schema in
            let url = schema.url.replacing("/postgres?", with: "/no_such_database?")

            let error = await #expect(throws: StoreError.self) {
                try await PostgresStore(url: url, entities: [Note.self])
            }

            #expect(error?.code == .unusable)
        }
    }

    @Test func aClosedStoreRefusesEachUse() async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            store.close()
            store.close()

            let read = await #expect(throws: StoreError.self) { try await store.events(after: 0, limit: 1) }
            let commit = await #expect(throws: StoreError.self) { try await store.commit(.note("a")) }

            #expect(read?.code == .closed)
            #expect(commit?.code == .closed)
        }
    }
}

/// The entity of the tests with an index that isn't unique.
private final class LooseNote: StoredEntity {
    static let entityName = "note"
    static var indexes: [EntityIndex<LooseNote>] { [EntityIndex("title") { $0.title }] }

    var id = ""
    var title = ""
    var raisedEvents = RaisedEvents()
}

/// Another type of entity.
private final class Memo: StoredEntity {
    static let entityName = "memo"

    var id = ""
    var raisedEvents = RaisedEvents()
}
#endif
