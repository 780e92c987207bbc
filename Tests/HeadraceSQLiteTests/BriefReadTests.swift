// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Dispatch
import Foundation
import GRDB
import HeadraceStorage
import Testing

@testable import HeadraceSQLite

/// Reads that run on the calling thread.
@Suite(.timeLimit(.minutes(1))) struct BriefReadTests {
    @Test func aBriefReadRunsOnTheCallingThread() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))

            let caller = Self.thread
            let reader = try await store.read(isBrief: true) { _ in Self.thread }

            #expect(reader == caller)
        }
    }

    @Test func aBriefReadDoesNotBlockItsActorIfAllConnectionsAreInUse() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            let block = Block()
            let (events, record) = AsyncStream.makeStream(of: Void.self)
            var recorded = events.makeAsyncIterator()
            let caller = Caller(store)
            try await withThrowingTaskGroup { group in
                for _ in 0..<store.connections.configuration.maximumReaderCount {
                    group.addTask {
                        try await store.read { _ in
                            record.yield()
                            block.wait()
                        }
                    }
                    await recorded.next()
                }
                group.addTask { try await caller.read { record.yield() } }
                await recorded.next()

                // Never runs if the read blocks the actor.
                await caller.remove(block)

                try await group.waitForAll()
            }
            // All connections are free again.
            let thread = Self.thread
            #expect(try await store.read(isBrief: true) { _ in Self.thread } == thread)
        }
    }

    @Test func aBriefReadOfACancelledTaskThrowsCancellationError() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            let (events, record) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                // Ends when the task is cancelled.
                for await _ in events {}
                return try await store.find(EntityReference(kind: "note", key: "a"))
            }

            task.cancel()

            await #expect(throws: CancellationError.self) { _ = try await task.value }
            record.finish()
        }
    }

    @Test func aBriefReadOfAClosedStoreIsRefused() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            try await store.insertNotes("a")
            try store.close()

            let error = await #expect(throws: StoreError.self) {
                _ = try await store.find(EntityReference(kind: "note", key: "a"))
            }

            #expect(error?.code == .closed)
        }
    }

    /// The thread that runs the caller.
    private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}

/// An actor that reads.
private actor Caller {
    private let store: SQLiteStore

    init(_ store: SQLiteStore) {
        self.store = store
    }

    func read(_ begin: @Sendable () -> Void) async throws {
        begin()
        _ = try await store.find(EntityReference(kind: "note", key: "a"))
    }

    func remove(_ block: Block) {
        block.remove()
    }
}

/// Blocks threads until it is removed.
private final class Block: Sendable {
    private let group = DispatchGroup()

    init() {
        group.enter()
    }

    func wait() {
        group.wait()
    }

    func remove() {
        group.leave()
    }
}
#endif
