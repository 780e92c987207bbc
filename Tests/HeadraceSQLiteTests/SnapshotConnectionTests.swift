// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

@testable import HeadraceSQLite

/// The connections that the snapshots of a store use one after the other.
@Suite(.timeLimit(.minutes(1))) struct SnapshotConnectionTests {
    @Test func aReadUsesTheConnectionOfTheReadBefore() async throws {
        try await withStore { store in
            try await store.read { (_: EntityContext) in #expect(store.snapshots.idleCount == 0) }
            #expect(store.snapshots.idleCount == 1)

            for _ in 1...3 { try await store.read { (_: EntityContext) in #expect(store.snapshots.idleCount == 0) } }

            #expect(store.snapshots.idleCount == 1)
        }
    }

    @Test func aReadSeesTheCommitsBeforeItAndNoneAfterwards() async throws {
        try await withStore { store in
            for number in 1...3 {
                try await store.read { context in
                    try await store.insertNotes("\(number)")
                    #expect(try await context.fetch(Note.self).count == number - 1)
                    #expect(try await context.find(Note.self, id: "\(number)") == nil)
                }
            }
        }
    }

    @Test @MainActor func aReadOnTheMainActorSeesTheCommitsBeforeIt() async throws {
        try await withStore { store in
            for number in 1...3 {
                try await store.insertNotes("\(number)")
                #expect(try await store.read { try await $0.fetch(Note.self).count } == number)
                #expect(try await store.read { try await $0.find(Note.self, id: "\(number)") } != nil)
            }
            #expect(store.snapshots.idleCount == 1)
        }
    }

    @Test(arguments: [1, 2])
    func aReadThatThrowsEndsItsTransaction(reads: Int) async throws {
        try await withStore { store in
            for _ in 1...reads {
                await #expect(throws: Refusal.self) {
                    try await store.read { context in
                        _ = try await context.fetch(Note.self)
                        throw Refusal()
                    }
                }
            }

            try requireNoTransaction(in: store)
        }
    }

    @Test(arguments: [1, 2])
    func aReadOfACancelledTaskEndsItsTransaction(reads: Int) async throws {
        try await withStore { store in
            for _ in 1...reads {
                let begin = Gate.opened
                let task = Task {
                    try await store.read { context in
                        await begin.pass()
                        await untilCancelled()
                        _ = try await context.fetch(Note.self)
                    }
                }
                await begin.arrivals(1)
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }

            try requireNoTransaction(in: store)
        }
    }

    @Test func aReadThatCannotBeginLeavesNoConnection() async throws {
        try await withStore { store in
            try await store.read { (_: EntityContext) in }
            let cancelled = Task {
                await untilCancelled()
                try await store.read { (_: EntityContext) in }
            }

            cancelled.cancel()

            await #expect(throws: CancellationError.self) { try await cancelled.value }
            try requireNoTransaction(in: store)
        }
    }

    @Test func moreReadsWithinReadsThanTheStoreHasConnectionsDoNotWait() async throws {
        try await withStore { store in
            let limit = SnapshotConnections.limit
            try await read(2 * limit, within: store)

            #expect(store.snapshots.idleCount == limit)
            try requireNoTransaction(in: store)
        }
    }

    @Test func moreReadsAtATimeThanTheStoreHasConnectionsDoNotWait() async throws {
        try await withStore { store in
            try await store.insertNotes("a")
            let limit = SnapshotConnections.limit
            let end = Gate()
            try await withThrowingTaskGroup { group in
                for _ in 0..<2 * limit {
                    group.addTask {
                        try await store.read { context in
                            await end.pass()
                            let notes = try await context.fetch(Note.self)
                            #expect(notes.map(\.id) == ["a"])
                        }
                    }
                }
                await end.arrivals(2 * limit)
                try await store.insertNotes("b")
                #expect(try await store.noteIDs() == ["a", "b"])
                end.open()
                try await group.waitForAll()
            }

            #expect(store.snapshots.idleCount == limit)
        }
    }

    @Test func aClosedStoreKeepsNoConnection() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            try await store.insertNotes("a")
            try await store.read { (_: EntityContext) in }
            var moment: (any EntityReader)? = try await store.snapshot()
            try await store.read { (_: EntityContext) in }
            #expect(store.snapshots.idleCount == 1)

            try store.close()

            #expect(store.snapshots.idleCount == 0)
            #expect(try await moment?.find(EntityReference(kind: "note", key: "a")) != nil)
            moment = nil
            #expect(store.snapshots.idleCount == 0)
            let error = await #expect(throws: StoreError.self) { try await store.read { (_: EntityContext) in } }
            #expect(error?.code == .closed)
        }
    }

    @Test func theFileOfAClosedStoreNeedsNoWriteAheadLog() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            try await store.insertNotes("a")
            try await store.read { (_: EntityContext) in }

            try store.close()

            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["store.sqlite"])
        }
    }

    @Test func aReadOnAUsedConnectionNoticesAnotherVersionOfTheProgram() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path)
            try await older.read { (_: EntityContext) in }

            _ = try openStore(path, entities: [LaterBareNote.self], configuration: .replacing)

            for _ in 1...2 {
                let error = await #expect(throws: StoreError.self) { try await older.read { (_: EntityContext) in } }
                #expect(error?.code == .schemaChanged)
            }
        }
    }

    @Test(arguments: ProgramDatabase.allCases)
    func readsOnTheConnectionsOfAProgramUseOneConnection(_ kind: ProgramDatabase) async throws {
        try await withTemporaryFolder { folder in
            let database = try kind.open(folder.path(of: "shop.sqlite"))
            let store = try SQLiteStore(on: database, entities: [Note.self])
            for number in 1...3 {
                try await store.insertNotes("\(number)")
                #expect(try await store.read { try await $0.fetch(Note.self).count } == number)
                #expect(store.snapshots.idleCount == 1)
            }

            try database.close()

            let error = await #expect(throws: StoreError.self) { try await store.read { (_: EntityContext) in } }
            #expect(error?.code == .closed)
        }
    }

    // MARK: Support

    private func withStore(_ body: (SQLiteStore) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            try await body(store)
            try store.close()
        }
    }

    /// Reads within `depth` reads.
    private func read(_ depth: Int, within store: SQLiteStore) async throws {
        if depth == 0 { return }
        try await store.read { context in
            try await read(depth - 1, within: store)
            _ = try await context.fetch(Note.self)
        }
    }

    /// Requires that no connection keeps a part of the write-ahead log from a checkpoint.
    private func requireNoTransaction(in store: SQLiteStore) throws {
        #expect(store.snapshots.idleCount > 0)
        try withOtherProgram(store.path) { database in
            try database.execute(sql: "CREATE TABLE other (number INTEGER)")
            let isBusy = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")?["busy"] as Bool?
            #expect(isBusy == false)
            try database.execute(sql: "DROP TABLE other")
        }
    }

    /// An error of a test.
    private struct Refusal: Error {}
}
#endif
