// SPDX-License-Identifier: Apache-2.0

#if SQLite
import DomainTestSupport
import Foundation
import GRDB
@testable import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

/// Several processes open one file at the same time.
///
/// The environment variable `HEADRACE_OPENING_ROUNDS` sets the number of rounds, 6 by default.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SimultaneousOpeningTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["HEADRACE_OPENING_ROUNDS"].flatMap { Int($0) } ?? 6

    @Test func processesThatOpenANewFileAtTheSameTimeAllSucceed() async throws {
        try await openAtTheSameTime { _, _ in }
    }

    @Test func processesThatOpenAnOlderFileAtTheSameTimeAllSucceed() async throws {
        try await openAtTheSameTime { path, round in
            try withOtherProgram(path) { database in
                if round.isMultiple(of: 2) { try database.execute(sql: "PRAGMA journal_mode = WAL") }
                try makeOlderFile(in: database)
            }
        }
    }

    @Test func processesThatOpenACurrentFileAtTheSameTimeAllSucceed() async throws {
        try await openAtTheSameTime { path, _ in try openStore(path).close() }
    }

    @Test func storesThatOpenAFileInOneProcessAllSucceed() async throws {
        for round in 0..<Self.rounds {
            try await withTemporaryFolder { folder in
                let path = folder.path(of: "store.sqlite")
                if round.isMultiple(of: 2) { try withOtherProgram(path, makeOlderFile) }

                try await withThrowingTaskGroup { group in
                    for number in 0..<4 {
                        group.addTask {
                            let store = try openStore(path, configuration: SQLiteStore.Configuration())
                            try await store.insertNotes("\(number)")
                        }
                    }
                    try await group.waitForAll()
                }

                #expect(try await openStore(path).noteIDs() == ["0", "1", "2", "3"])
            }
        }
    }

    @Test func aFileWhoseDocumentsCannotBeIndexedStaysUsableForTheProgramBefore() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path).insertNotes("a")

            let error = #expect(throws: StoreError.self) { try openStore(path, entities: [UnreadableNote.self]) }

            #expect(error?.code == .undecodable)
            let store = try openStore(path)
            #expect(try await store.noteIDs() == ["a"])
            let query = DocumentQuery(kind: "note", order: .init(index: "title", isDescending: false))
            #expect(try await store.fetch(query).map(\.reference.key) == ["a"])
        }
    }

    /// A migration and its name are stored in one transaction, so unlike a number, the names can't disagree with the tables.
    @Test func theMigrationsAreNumberedWithoutGaps() {
        let numbers = StoreSchema.migrations("").map { $0.identifier.prefix { $0 != " " } }
        #expect(numbers.compactMap { Int($0) } == Array(1...StoreSchema.migrations("").count))
    }

    @Test(arguments: 1..<StoreSchema.migrations("").count)
    func aFileOfEachVersionIsMigrated(count: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try withOtherProgram(path) { database in
                try makeOlderFile(in: database)
                for migration in StoreSchema.migrations("")[1..<count] {
                    try database.execute(sql: migration.sql)
                    try database.execute(
                        sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [migration.identifier])
                }
            }

            for id in ["a", "b"] {
                let store = try openStore(path)
                try await store.insertNotes(id)
                try store.close()
            }

            let store = try openStore(path)
            #expect(try await store.noteIDs() == ["a", "b"])
            #expect(try await store.deliveryStatistics().lastPosition == 2)
            let applied = try withOtherProgram(path) { try FileOwner.store.appliedMigrations(in: $0) }
            #expect(applied == Set(StoreSchema.migrations("").map(\.identifier)))
            try store.close()
        }
    }

    /// SQLite leaves out no position, so a missing position belonged to a pruned event.
    @Test(arguments: [([], 0, 0), ([1, 2], 2, 0), ([1, 3], 3, 2), ([2, 3], 3, 1), ([1, 3], 5, 5), ([], 4, 4)])
    func missingPositionsOfAnEarlierFileCountAsPruned(positions: [Int64], last: Int64, pruned: Int64) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try withOtherProgram(path) { database in
                try makeOlderFile(in: database)
                for position in Set(positions + [last]).sorted() where position > 0 {
                    try database.execute(
                        sql: "INSERT INTO event VALUES (?, ?, 'opened', 1, NULL, NULL, 0, '{}')",
                        arguments: [position, UUID().uuidString]
                    )
                    if !positions.contains(position) {
                        try database.execute(sql: "DELETE FROM event WHERE position = \(position)")
                    }
                }
            }

            let store = try openStore(path)

            #expect(try await store.prunedPosition() == pruned)
            #expect(try await store.events(after: 0, limit: 9).map(\.position) == positions)
            try store.close()
        }
    }

    /// Makes four processes open the same files, one file after another.
    private func openAtTheSameTime(prepare: (_ path: String, _ round: Int) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let subjects = try ["a", "b", "c", "d"].map { try CrashSubject.start("open", $0) }
            for round in 0..<Self.rounds {
                let path = folder.path(of: "\(round).sqlite")
                try prepare(path, round)

                for subject in subjects { try await subject.write(path) }

                for subject in subjects { #expect(try await subject.nextLine() == "opened", "round \(round)") }
                try withOtherProgram(path) { database in
                    let counts = try Row.fetchOne(
                        database,
                        sql:
                            "SELECT (SELECT count(*) FROM headrace_entity), (SELECT count(*) FROM headrace_index_entry)"
                    )
                    let entities: Int = try #require(counts)[0]
                    #expect(entities >= 4)
                    #expect(counts?[1] == entities * 2)
                }
            }
        }
    }
}

/// Creates the tables of the first version, with entities that have no indexes yet.
private func makeOlderFile(in database: Database) throws {
    try database.execute(sql: "PRAGMA application_id = \(FileOwner.applicationID)")
    try database.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    try database.execute(sql: StoreSchema.migrations("")[0].sql)
    try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('1 entities and events')")
    try database.execute(sql: "INSERT INTO entity_kind VALUES (1, 'door', 1)")
    for number in 0..<20 {
        try database.execute(
            sql: "INSERT INTO entity VALUES (1, ?, 1, 1, ?)",
            arguments: ["old \(number)", #"{"id":"old \#(number)"}"#]
        )
    }
}
#endif
