// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceStorage
import Testing

/// Databases that earlier versions of Headrace have made.
@Suite(.needsServer, .enabled(if: TestProgram.folder != nil), .timeLimit(.minutes(2))) struct MigrationTests {
    private static let kind = EntityReference(kind: "account", key: "new")

    @Test func aStoreOfTheFirstVersionIsMigratedByOneOfManyProcesses() async throws {
        try await withFirstVersion { url in
            let stores = try await withThrowingTaskGroup(of: PostgresStore.self) { group in
                for _ in 0..<4 { group.addTask { try await PostgresStore(url: url, entities: [Account.self]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            let events = try await stores[0].events(after: 0, limit: 99)
            #expect(events.count == 32)
            #expect(try await stores[1].fetch(DocumentQuery(kind: "account")).map(\.version) == [16, 16])
            try await stores[2].commit(Self.insertion)
            #expect(try await stores[3].events(after: 0, limit: 99).count == 33)
            let leased = try await stores[3].lease(
                LeaseRequest(
                    subscriptions: ["nobody"], laneLimit: 9, batchLimit: 99,
                    now: Date(timeIntervalSince1970: 1_700_000_000), duration: .seconds(10)))
            #expect(leased.lanes.map(\.count) == [16, 16])
        }
    }

    @Test func theVersionOfTheTablesIsThatOfTheLastMigration() {
        #expect(TableSchema.migrations.map(\.version) == Array(2...TableSchema.version))
    }

    /// A new store has the columns of the last version, so a store with an earlier number in it has the columns of a later one.
    @Test(arguments: [TableSchema.version, TableSchema.version - 1, 6])
    func openingRepeatsTheMigrationsAfterTheStoredVersion(stored: Int64) async throws {
        try await withSchema { schema in
            let store = try await PostgresStore(
                url: schema.url, entities: [Account.self], configuration: schema.configuration)
            try await store.commit(Self.insertion)
            try store.close()
            try await schema.run("UPDATE store SET tables = \(stored)")

            for _ in 1...2 {
                let again = try await PostgresStore(
                    url: schema.url, entities: [Account.self], configuration: schema.configuration)
                #expect(try await again.find(Self.kind)?.version == 1)
                try again.close()
            }

            #expect(try await schema.run("SELECT tables FROM store").first?.integer(0) == TableSchema.version)
        }
    }

    @Test(arguments: 1..<TableSchema.version)
    func aStoreOfEachVersionIsMigrated(stored: Int64) async throws {
        try await withFirstVersion { url in
            let schema = TestSchema(url: url, name: "headrace")
            for migration in TableSchema.migrations where migration.version <= stored {
                for statement in migration.statements { try await schema.run(statement) }
            }
            try await schema.run("UPDATE store SET tables = \(stored)")

            let store = try await PostgresStore(url: url, entities: [Account.self])

            try await store.commit(Self.insertion)
            #expect(try await store.events(after: 0, limit: 99).count == 33)
            #expect(try await store.fetch(DocumentQuery(kind: "account")).map(\.version).sorted() == [1, 16, 16])
            #expect(try await schema.run("SELECT tables FROM store").first?.integer(0) == TableSchema.version)
            try await schema.run("SELECT raise('opened', '{}', 'account', 'new')")
            let leased = try await store.lease(
                LeaseRequest(
                    subscriptions: [ScheduledMessage.subscription], laneLimit: 9, batchLimit: 9,
                    now: Date(timeIntervalSince1970: 1_700_000_000), duration: .seconds(10)))
            #expect(leased.lanes.map { $0[0].content.message?.name } == ["opened"])
            try store.close()
        }
    }

    /// The stored log has the events 1, 2, 21, 22, 41, and so on up to 302, each of which is pending, and the last position is 313.
    @Test(arguments: [
        ("SELECT 1", 300), ("DELETE FROM event WHERE position > 22", 20), ("DELETE FROM event WHERE position > 2", 0),
        ("DELETE FROM event", 313),
    ])
    func missingPositionsBeforeTheLastEventCountAsPruned(change: String, pruned: Int64) async throws {
        try await withFirstVersion { url in
            try await TestSchema(url: url, name: "headrace").run(change)

            let store = try await PostgresStore(url: url, entities: [Account.self])

            #expect(try await store.prunedPosition() == pruned)
            try store.close()
        }
    }

    /// The pruning of the first version, which may wait during the migration, deletes events and stores nothing else.
    @Test func eventsThatAProgramOfTheFirstVersionPrunesAreNoted() async throws {
        try await withFirstVersion { url in
            let store = try await PostgresStore(url: url, entities: [Account.self])

            try await TestSchema(url: url, name: "headrace").run("DELETE FROM event WHERE position > 300")

            #expect(try await store.prunedPosition() == 302)
            try store.close()
        }
    }

    /// A program of the first version is open while a program of this version migrates the database.
    @Test func aProgramOfTheFirstVersionGoesOnBesideThisVersion() async throws {
        try await withFirstVersion { url in
            let schema = TestSchema(url: url, name: "headrace")
            let store = try await PostgresStore(url: url, entities: [Account.self])

            // The parameters of the first version, which knew neither plain SQL, streams of deliveries, times of
            // scheduling, nor first positions.
            let columns = CommitProcedure.columns.filter {
                !["q", "g", "u"].contains($0.name.prefix(1))
                    && !["d_kind", "d_key", "m_since", "s_first"].contains($0.name)
            }
            let generation = try await schema.run("SELECT generation FROM store").first?.integer(0) ?? 0
            let arrays = columns.map { column in
                switch column.name {
                case "w_unit": "ARRAY[0]::bigint[]"
                case "w_kind": "ARRAY[1]::bigint[]"
                case "w_key": "ARRAY['old']::bytea[]"
                case "w_version", "w_schema": "ARRAY[1]::bigint[]"
                case "w_document": "ARRAY['{}']"
                default: "'{}'::\(column.type)[]"
                }
            }
            try await schema.run(
                """
                CALL commit_batch(gen_random_uuid(), gen_random_uuid(), \(generation)::bigint, true, false,
                    \(arrays.joined(separator: ", ")), NULL)
                """)

            #expect(try await store.find(EntityReference(kind: "account", key: "old"))?.version == 1)
            let leased = try await schema.run(
                """
                SELECT * FROM lease(ARRAY['nobody']::bytea[], 9::bigint, 9::bigint, 1::bigint, 5::bigint, 9::bigint, false,
                    '{}'::bigint[], '{}'::bytea[], '{}'::bigint[], '{}'::bigint[])
                """)
            #expect(leased.count == 18)
            try await store.commit(Self.insertion)
        }
    }

    private static var insertion: ChangeSet {
        let document = StoredDocument(reference: kind, version: 1, schemaVersion: 1, json: Data("{}".utf8))
        return ChangeSet(
            writes: [ChangeSet.Write(document: document)],
            events: [
                NewEvent(
                    id: UUID(), name: "opened", version: 1, stream: kind,
                    recordedAt: Date(timeIntervalSince1970: 1_700_000_000), json: Data("{}".utf8))
            ])
    }

    private func withFirstVersion(_ body: (String) async throws -> Void) async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/version-1.sql")
        try await withDatabase { url in
            // The server's user may not be able to read the folder of the sources.
            let copy = try #require(TestServer.folder) + "/\(UUID()).sql"
            try Data(contentsOf: file).write(to: URL(filePath: copy))
            try await TestProgram.run("psql", ["-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-f", copy])
            try await body(url)
        }
    }
}

/// The entity of the stored databases.
private final class Account: StoredEntity {
    static let entityName = "account"

    var id = ""
    var text = ""
    var raisedEvents = RaisedEvents()
}
#endif
