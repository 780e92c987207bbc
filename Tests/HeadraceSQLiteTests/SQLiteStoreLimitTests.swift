// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import Testing

/// A locked or full store throws, and works again when the cause is gone.
@Suite(.timeLimit(.minutes(5))) struct SQLiteStoreLimitTests {
    @Test func whileAnotherProcessWritesTheStoreIsLockedForWritersOnly() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let store = try openStore(path, configuration: .impatient)
            try await store.insertNotes("a")
            let other = try openQueue(path)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }

            let committing = await #expect(throws: StoreError.self) { try await store.insertNotes("b") }
            let opening = #expect(throws: StoreError.self) { try openStore(path, configuration: .impatient) }

            for error in [committing, opening] {
                #expect(error?.code == .locked)
                #expect(
                    error?.message == """
                        '\(path)' is locked by another process, and the wait for it timed out. Nothing of the change was \
                        stored. To fix, let the other process finish or end it, then try again.
                        """
                )
            }
            #expect(try await store.noteIDs() == ["a"])

            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try await store.insertNotes("b")
            #expect(try await store.noteIDs() == ["a", "b"])
            #expect(try await store.events(after: 0, limit: 10).count == 2)
            #expect(try await openStore(path).noteIDs() == ["a", "b"])
        }
    }

    @Test func aFileThatAnotherProcessIsCreatingIsLockedAndUnchanged() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let other = try openQueue(path)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE; CREATE TABLE t (x)") }

            let error = #expect(throws: StoreError.self) { try openStore(path, configuration: .impatient) }

            #expect(error?.code == .locked)
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try await openStore(path).insertNotes("a")
        }
    }

    @Test func aFullStoreRefusesWholeChangesAndWorksAgainWithMoreSpace() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var configuration = SQLiteStore.Configuration()
            configuration.maximumByteCount = 240_000
            let store = try openStore(path, configuration: configuration)
            let long = String(repeating: "x", count: 10_000)
            var stored: [String] = []
            var refusal: StoreError?
            while refusal == nil, stored.count < 100 {
                let id = "\(100 + stored.count)"
                do {
                    try await store.execute { context in
                        context.insert(Note(id, title: id + long))
                        context.insert(Note("second \(id)", title: "second \(id)"))
                    }
                    stored.append(id)
                } catch let error as StoreError {
                    refusal = error
                }
            }

            #expect(refusal?.code == .full)
            #expect(
                refusal?.message == """
                    There is no space for '\(path)' to grow. Nothing of the change was stored. To fix, free space on \
                    its disk (or raise the program's limit on the size of the file), then try again.
                    """
            )
            let expected = stored + stored.map { "second \($0)" }
            #expect(try await store.noteIDs() == expected)
            #expect(stored.count > 2)
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect(size.map { $0 <= 240_000 } == true)

            // Deletions free space.
            try await store.execute { context in
                for note in try await context.fetch(Note.self, limit: 2) { context.delete(note) }
            }
            try await store.execute { $0.insert(Note("room", title: "room" + long)) }
            try store.close()

            let larger = try openStore(path)
            try await larger.execute { $0.insert(Note("more", title: "more" + long + long + long)) }
            #expect(try await larger.noteIDs().count == expected.count)
        }
    }

    @Test func aStoreWithoutSpaceForItsTablesIsFullAndCanBeOpenedLater() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var configuration = SQLiteStore.Configuration()
            configuration.maximumByteCount = 8_192

            let error = #expect(throws: StoreError.self) { try openStore(path, configuration: configuration) }

            #expect(error?.code == .full)
            try await openStore(path).insertNotes("a")
            #expect(try await openStore(path).noteIDs() == ["a"])
        }
    }

    @Test func aClosedStoreThrowsClosed() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let store = try openStore(path)
            try await store.insertNotes("a")
            try store.close()
            try store.close()
            let note = EntityReference(kind: "note", key: "a")

            let errors = [
                await #expect(throws: StoreError.self) { _ = try await store.noteIDs() },
                await #expect(throws: StoreError.self) { _ = try await store.find(note) },
                await #expect(throws: StoreError.self) { _ = try await store.find(all: [note]) },
                await #expect(throws: StoreError.self) { _ = try await store.events(after: 0, limit: 1) },
                await #expect(throws: StoreError.self) { try await store.insertNotes("b") },
                await #expect(throws: StoreError.self) { _ = try await store.snapshot() },
                await #expect(throws: StoreError.self) { _ = try await store.deliveryStatistics() },
                await #expect(throws: StoreError.self) { _ = try await store.replayDeadLetters([1]) },
                await #expect(throws: StoreError.self) { _ = try await store.settle([]) },
                await #expect(throws: StoreError.self) { _ = try await store.idempotencyRecord(for: "a") },
            ]

            for error in errors {
                #expect(error?.code == .closed)
                #expect(
                    error?.message == """
                        The store on '\(path)' is closed. Nothing was read or stored. To fix, close it after its \
                        last use, or open another store on the file.
                        """
                )
            }
            #expect(try await openStore(path).noteIDs() == ["a"])
        }
    }

    /// The error differs from the error of a failed disk.
    @Test func aQueryThatIsTooLargeForSQLiteThrowsUnusable() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            let condition = DocumentQuery.Condition(index: "size", test: .oneOf([.integer(1)]))

            let error = await #expect(throws: StoreError.self) {
                try await store.fetch(
                    DocumentQuery(kind: "note", conditions: Array(repeating: condition, count: 5_000))
                )
            }

            #expect(error?.code == .unusable)
            #expect(error?.message.contains("SQLite refused a statement: ") == true)
            #expect(error?.message.contains("the disk") == false)
        }
    }
}
#endif
