// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
@testable import HeadraceSQLite
import HeadraceStorage
import Testing

/// A store whose file is removed or replaced while it is open.
@Suite(.timeLimit(.minutes(1))) struct RemovedFileTests {
    @Test(arguments: ["", "-wal"])
    func aCommitToARemovedFileFails(ending: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let store = try openStore(path)
            try await store.insertNotes("a")
            try FileManager.default.removeItem(atPath: path + ending)

            let error = await #expect(throws: StoreError.self) { try await store.insertNotes("b") }

            #expect(error?.code == .fileRemoved)
            #expect(error?.isRetryable == false)
            #expect(error?.message.hasPrefix("'\(path + ending)' was removed or replaced") == true)
            #expect(error?.message.contains("To fix, ") == true)
        }
    }

    @Test func aReplacedFileIsNotTheSameFile() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let other = folder.path(of: "other.sqlite")
            try openStore(other).close()
            let store = try openStore(path)
            try await store.insertNotes("a")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: other, toPath: path)

            let error = await #expect(throws: StoreError.self) { try await store.insertNotes("b") }

            #expect(error?.code == .fileRemoved)
        }
    }

    @Test(arguments: [false, true])
    func aReadThatNeedsARemovedFileFails(isReplaced: Bool) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let store = try openStore(path)
            try await store.insertNotes("a")
            // So the next read opens a connection.
            (store.connections as? DatabasePool)?.releaseMemory()
            try FileManager.default.removeItem(atPath: path)
            if isReplaced { try Data().write(to: URL(filePath: path)) }

            let reading = await #expect(throws: StoreError.self) { _ = try await store.noteIDs() }
            let snapshot = await #expect(throws: StoreError.self) { _ = try await store.snapshot() }

            #expect(reading?.code == .fileRemoved)
            #expect(snapshot?.code == .fileRemoved)
        }
    }

    @Test func nothingIsReadFromAnotherStoreAtTheSamePath() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let other = try openStore(folder.path(of: "other.sqlite"))
            try await other.insertNotes("other")
            try other.close()
            let store = try openStore(path)
            try await store.insertNotes("a")
            // So the next read opens a connection.
            (store.connections as? DatabasePool)?.releaseMemory()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: other.path, toPath: path)

            let reading = await #expect(throws: StoreError.self) { _ = try await store.noteIDs() }
            let snapshot = await #expect(throws: StoreError.self) { _ = try await store.snapshot() }

            #expect(reading?.code == .fileRemoved)
            #expect(snapshot?.code == .fileRemoved)
        }
    }

    @Test func aFileThatIsMovedAwayIsNotWrittenUntilItIsBack() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let store = try openStore(path)
            try await store.insertNotes("a")
            try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
            let error = await #expect(throws: StoreError.self) { try await store.insertNotes("b") }
            #expect(error?.code == .fileRemoved)

            try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)

            #expect(try await store.noteIDs() == ["a"])
            try await store.insertNotes("b")
            #expect(try await store.noteIDs() == ["a", "b"])
            try store.close()
        }
    }

    @Test func aFileThatIsRemovedDuringTheCommitIsDetected() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var configuration = SQLiteStore.Configuration()
            configuration.faults = { point in
                if point == .beforeCommit { try? FileManager.default.removeItem(atPath: path) }
            }
            let store = try openStore(path, configuration: configuration)

            let error = await #expect(throws: StoreError.self) { try await store.insertNotes("a") }

            #expect(error?.code == .fileRemoved)
        }
    }

    @Test func nothingIsStoredInAFileThatIsMovedDuringTheCommit() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var configuration = SQLiteStore.Configuration()
            configuration.faults = { point in
                if point == .beforeCommit { try? FileManager.default.moveItem(atPath: path, toPath: path + ".moved") }
            }
            let store = try openStore(path, configuration: configuration)

            let error = await #expect(throws: StoreError.self) { try await store.insertNotes("a") }

            #expect(error?.code == .fileRemoved)
            try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
            #expect(try await store.noteIDs() == [])
        }
    }

    @Test func aConflictInARemovedFileIsReportedAsARemovedFile() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let store = try openStore(path)
            try await store.insertNotes("a")
            try FileManager.default.removeItem(atPath: path)

            let error = await #expect(throws: StoreError.self) { try await store.insertNotes("a") }

            #expect(error?.code == .fileRemoved)
        }
    }
}
#endif
