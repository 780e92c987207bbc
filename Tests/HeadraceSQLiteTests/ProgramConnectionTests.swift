// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// The requirements of a store in the database of a program, and the settings that it leaves alone.
@Suite(.timeLimit(.minutes(3))) struct ProgramConnectionTests {
    // MARK: What it leaves alone

    @Test(arguments: ProgramDatabase.allCases)
    func everythingOfTheProgramStaysAsItIs(_ kind: ProgramDatabase) async throws {
        try await withTemporaryFolder { folder in
            let database = try kind.open(folder.path(of: "shop.sqlite"))
            try await database.writeWithoutTransaction { database in
                try database.execute(
                    sql: """
                        PRAGMA user_version = 42; PRAGMA application_id = 7; PRAGMA synchronous = EXTRA;
                        CREATE TABLE event (x); CREATE TABLE lane (y); CREATE VIEW delivery AS SELECT 1;
                        """
                )
            }
            let before = try state(of: database)

            let store = try SQLiteStore(on: database, entities: [Note.self])
            try await store.insertNotes("a")
            let relay = Relay.confirming(store)
            try await TestRelay.run(relay) { relay in
                try await database.write { try store.raise(Purchased(number: 1), in: $0) }
                try await relay.untilIdle()
            }

            #expect(try state(of: database) == before)
            try store.close()
            #expect(try state(of: database) == before)
            #expect(try database.confirmations() == [1])
        }
    }

    /// The settings and the objects of the program.
    private func state(of database: any DatabaseWriter) throws -> [String] {
        try database.writeWithoutTransaction { database in
            let settings = ["user_version", "application_id", "journal_mode", "synchronous", "busy_timeout"]
            let values = try settings.map { try String.fetchOne(database, sql: "PRAGMA \($0)") ?? "" }
            let objects = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_master WHERE tbl_name NOT LIKE 'headrace!_%' ESCAPE '!'
                        AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
                    """
            )
            let migrations = try String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations")
            return values + objects.sorted() + migrations
        }
    }

    @Test func laterMigrationsOfTheProgramDoNotTouchTheStore() async throws {
        try await withTemporaryFolder { folder in
            let database = try ProgramDatabase.pool.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database, entities: [Note.self])
            try await store.insertNotes("a")
            var migrator = DatabaseMigrator()
            migrator.registerMigration("purchases") { _ in }
            migrator.registerMigration("prices") {
                try $0.execute(sql: "ALTER TABLE purchase ADD COLUMN price INTEGER")
            }
            try migrator.migrate(database)

            try await store.insertNotes("b")
            #expect(try await store.noteIDs() == ["a", "b"])
            let again = try SQLiteStore(on: database, entities: [Note.self])
            #expect(try await again.noteIDs() == ["a", "b"])
        }
    }

    // MARK: What it requires

    private static let settings: [(sql: String, mention: String)] = [
        ("PRAGMA synchronous = NORMAL", "'durability: .relaxed'"), ("PRAGMA synchronous = OFF", "'synchronous' is 0"),
        ("PRAGMA foreign_keys = OFF", "foreign keys"), ("PRAGMA journal_mode = DELETE", "journal mode is 'delete'"),
        ("PRAGMA application_id = 1212437059", "SQLiteStore(path:)"),
    ]

    @Test(arguments: settings) func aMissingSettingIsNamedAndNothingIsChanged(
        setting: (sql: String, mention: String)
    ) async throws {
        try await withTemporaryFolder { folder in
            let database = try ProgramDatabase.queue.open(folder.path(of: "shop.sqlite"))
            try database.writeWithoutTransaction { try $0.execute(sql: setting.sql) }

            let error = #expect(throws: StoreError.self) { try SQLiteStore(on: database) }

            #expect(error?.code == .unusable)
            #expect(error?.message.contains(setting.mention) == true, "\(error?.message ?? "")")
            let tables = try database.read { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master WHERE type = 'table'")
            }
            #expect(tables == 3)
        }
    }

    @Test func connectionsThatCannotKeepDataAreRefused() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "shop.sqlite")
            try ProgramDatabase.pool.open(path).close()
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            let error = #expect(throws: StoreError.self) {
                try SQLiteStore(on: DatabasePool(path: path, configuration: configuration))
            }
            #expect(error?.message.contains("read-only") == true)
            let other = #expect(throws: StoreError.self) { try SQLiteStore(on: DatabaseQueue()) }
            #expect(other?.message.contains("journal mode is 'memory'") == true)
        }
    }

    @Test func aProgramCanAcceptThatAPowerFailureTakesTheLastCommits() async throws {
        try await withTemporaryFolder { folder in
            let database = try DatabasePool(path: folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database, entities: [Note.self], durability: .relaxed)
            try await store.insertNotes("a")
            #expect(try await store.noteIDs() == ["a"])
            #expect(try store.writerPragma("synchronous") == 1)
        }
    }

    // MARK: Closing

    @Test(arguments: ProgramDatabase.allCases)
    func aClosedStoreLeavesTheConnectionsOpen(_ kind: ProgramDatabase) async throws {
        try await withTemporaryFolder { folder in
            let database = try kind.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database, entities: [Note.self])
            let relay = Relay.confirming(store)
            try store.close()
            try store.close()

            try await database.write { try $0.buy(1) }
            #expect(try database.purchases() == [1])
            await expectClosed { try await store.insertNotes("a") }
            await expectClosed { _ = try await store.noteIDs() }
            await expectClosed { _ = try await store.snapshot() }
            await expectClosed { try await store.noticeOtherCommits() }
            await expectClosed { _ = try await store.settle([]) }
            await expectClosed { try await database.write { try store.raise(Purchased(number: 2), in: $0) } }
            withExtendedLifetime(relay) {}
        }
    }

    @Test(arguments: ProgramDatabase.allCases)
    func aStoreOnClosedConnectionsIsClosed(_ kind: ProgramDatabase) async throws {
        try await withTemporaryFolder { folder in
            let database = try kind.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database, entities: [Note.self])
            try database.close()

            await expectClosed { try await store.insertNotes("a") }
            await expectClosed { _ = try await store.noteIDs() }
            try store.close()
        }
    }

    private func expectClosed(_ body: () async throws -> Void) async {
        let error = await #expect(throws: StoreError.self) { try await body() }
        #expect(error?.code == .closed)
    }

    // MARK: Sharing

    @Test func storesShareTheDatabaseOfAProgram() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "shop.sqlite")
            let database = try ProgramDatabase.pool.open(path)
            let first = try SQLiteStore(on: database, entities: [Note.self])
            let second = try SQLiteStore(on: database, entities: [Note.self])
            // For example that of the tool for operators.
            let third = try SQLiteStore(path: path, entities: [Note.self])
            let numbers = Array(1...60)
            try await TestRelay.run(Relay.confirming(first)) { relay in
                let other = Relay.confirming(second)
                async let running: Void = other.run()
                for number in numbers {
                    try await database.write { database in
                        try (number % 2 == 0 ? first : second).raise(Purchased(number: number), in: database)
                    }
                }
                try await third.insertNotes("a")
                try await relay.untilIdle()
                other.shutDown()
                try await running
            }
            #expect(try database.confirmations().sorted() == numbers)
            #expect(try await first.noteIDs() == ["a"])
            #expect(try await third.deliveryStatistics().lastPosition == 61)
            try third.close()
            #expect(try database.purchases().isEmpty)
        }
    }

    @Test func unitsOfWorkShareTransactionsOnTheConnectionsOfAProgram() async throws {
        try await withTemporaryFolder { folder in
            let batches = Batches()
            let isFree = DispatchSemaphore(value: 0)
            let queued = Mutex(0)
            var configuration = SQLiteStore.Configuration()
            configuration.commitObserver = batches
            // The program writes until all commits are in the queue.
            configuration.faults = { point in
                guard point == .commitQueued else { return }
                let count = queued.withLock { count in
                    count += 1
                    return count
                }
                if count == 64 { isFree.signal() }
            }
            let database = try ProgramDatabase.pool.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database, entities: [Note.self], configuration: configuration)
            database.asyncWriteWithoutTransaction { _ in isFree.wait() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<64 { group.addTask { try await store.insertNotes("\(number)") } }
                try await group.waitForAll()
            }
            #expect(batches.counts.withLock(\.self) == [64])
            #expect(try await store.noteIDs().count == 64)
        }
    }

    @Test func aTransactionOfTheProgramEndsTheWaitOfALiveQuery() async throws {
        try await withTemporaryFolder { folder in
            let database = try ProgramDatabase.pool.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database, entities: [Note.self])
            let position = store.commitFeed.position
            async let changed: Void = store.commitFeed.waitForChange(of: [.entities("note")], after: position)
            try await database.write { database in
                try store.execute(in: database) { $0.insert(Note("a")) }
            }
            try await changed
        }
    }
}

/// The numbers of units of work in the transactions.
private final class Batches: CommitObserver {
    let counts = Mutex<[Int]>([])

    func committed(_ batch: CommitBatchStatistics) {
        counts.withLock { $0.append(batch.count) }
    }
}
#endif
