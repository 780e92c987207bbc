// SPDX-License-Identifier: Apache-2.0

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
            var configuration = schema.configuration
            configuration.replacementTimeout = nil
            _ = try await PostgresStore(url: schema.url, entities: [LooseNote.self], configuration: configuration)

            let read = await #expect(throws: StoreError.self) { try await store.fetch(DocumentQuery(kind: "note")) }
            let commit = await #expect(throws: StoreError.self) { try await store.commit(.note("a")) }

            let statistics = await #expect(throws: StoreError.self) { try await store.deliveryStatistics() }
            let lease = await #expect(throws: StoreError.self) {
                try await store.lease(
                    LeaseRequest(
                        subscriptions: ["a"], laneLimit: 9, batchLimit: 9,
                        now: Date(timeIntervalSince1970: 1_700_000_000),
                        duration: .seconds(10)))
            }

            #expect(read?.code == .schemaChanged)
            #expect(commit?.code == .schemaChanged)
            #expect(statistics?.code == .schemaChanged, "the process isn't ready")
            #expect(lease?.code == .schemaChanged, "its relay ends")
            #expect(try await store.find(EntityReference(kind: "note", key: "a")) == nil)
        }
    }

    @Test(arguments: [[LooseNote.self], [LaterNote.self]] as [[any StoredEntity.Type]])
    func aProgramThatWouldLockOutAnotherFailsBeforeItChangesAnything(entities: [any StoredEntity.Type]) async throws {
        try await withSchema { schema in
            let older = try await schema.open()
            try await older.commit(.note("a"))
            let generation = try await schema.run("SELECT generation FROM store").first?.integer(0)

            let error = await #expect(throws: StoreError.self) {
                try await PostgresStore(url: schema.url, entities: entities, configuration: schema.configuration)
            }

            #expect(error?.code == .inUse)
            #expect(error?.message.contains("(process \(ProcessInfo.processInfo.processIdentifier))") == true)
            #expect(try await schema.run("SELECT generation FROM store").first?.integer(0) == generation)
            try await older.commit(.note("b"))

            try older.close()
            var configuration = schema.configuration
            // The server notices the end of a connection a little later.
            configuration.replacementTimeout = .seconds(60)
            let newer = try await PostgresStore(url: schema.url, entities: entities, configuration: configuration)
            #expect(try await newer.fetch(DocumentQuery(kind: "note")).count == 2)
        }
    }

    @Test func openingWaitsForAProgramThatItWouldLockOut() async throws {
        try await withSchema { schema in
            let older = try await schema.open()
            let attempts = AsyncStream.makeStream(of: Void.self)
            var configuration = schema.configuration
            configuration.replacementTimeout = .seconds(100)
            configuration.faults = { if $0 == .inUse { attempts.continuation.yield() } }

            async let opening = PostgresStore(
                url: schema.url, entities: [LaterNote.self], configuration: configuration)
            var seen = attempts.stream.makeAsyncIterator()
            await seen.next()
            await seen.next()
            try await older.commit(.note("a"))
            try older.close()

            #expect(try await opening.fetch(DocumentQuery(kind: "note")).count == 1)
        }
    }

    @Test func aStoreWhoseConnectionForNotificationsWasCutIsStillSeen() async throws {
        try await withSchema { schema in
            let name = "headrace%20\(UUID())"
            let older = try await schema.open(url: schema.url + "&application_name=\(name)")
            let position = older.commitFeed.position
            try await schema.run(
                """
                SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
                WHERE application_name = '\(name.replacing("%20", with: " "))'
                """)
            // The listener has connected again.
            try await older.commitFeed.waitForChange(of: [.events], after: position)

            let error = await #expect(throws: StoreError.self) {
                try await PostgresStore(
                    url: schema.url, entities: [LaterNote.self], configuration: schema.configuration)
            }
            #expect(error?.code == .inUse)
        }
    }

    @Test func aStoreWhoseDocumentsCannotBeIndexedStaysUsableForTheProgramBefore() async throws {
        try await withSchema { schema in
            let older = try await schema.open()
            try await older.commit(.note("a"))
            try older.close()
            var configuration = schema.configuration
            configuration.replacementTimeout = nil

            let error = await #expect(throws: StoreError.self) {
                try await PostgresStore(url: schema.url, entities: [UnreadableNote.self], configuration: configuration)
            }

            #expect(error?.code == .undecodable)
            let store = try await schema.open()
            let query = DocumentQuery(kind: "note", order: .init(index: "title", isDescending: false))
            #expect(try await store.fetch(query).map(\.reference.key) == ["a"])
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
            try store.close()
            try store.close()

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

/// The entity of the tests with a later schema version.
private final class LaterNote: StoredEntity {
    static let entityName = "note"
    static let schemaVersion = 2
    static var indexes: [EntityIndex<LaterNote>] { [EntityIndex("title", unique: true) { $0.title }] }

    var id = ""
    var title = ""
    var raisedEvents = RaisedEvents()
}

/// A note of the second version that no stored note can become.
private final class UnreadableNote: StoredEntity {
    static let entityName = "note"
    static let schemaVersion = 2
    static var indexes: [EntityIndex<UnreadableNote>] { [EntityIndex("author") { $0.author }] }

    var id = ""
    var author: String
    var raisedEvents = RaisedEvents()

    init(author: String) { self.author = author }
}

/// Another type of entity.
private final class Memo: StoredEntity {
    static let entityName = "memo"

    var id = ""
    var raisedEvents = RaisedEvents()
}
#endif
