// SPDX-License-Identifier: Apache-2.0

#if SQLite
import HeadraceCore
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct LiveQueryTests {
    @Test func theFirstStateIsTheStoredStateAndTheNextComesWithACommit() async throws {
        try await withStore { store in
            try await store.insertNotes("a")
            var states = store.observe { try await $0.fetch(Note.self).map(\.id) }.makeAsyncIterator()

            #expect(try await states.next() == ["a"])
            async let committed: Void = store.insertNotes("b")
            #expect(try await states.next() == ["a", "b"])

            try await committed
        }
    }

    @Test func aSlowReaderGetsTheLatestStateOnly() async throws {
        try await withStore { store in
            var states = store.observe { try await $0.fetch(Note.self).count }.makeAsyncIterator()
            #expect(try await states.next() == 0)

            for number in 1...5 { try await store.insertNotes("\(number)") }

            #expect(try await states.next() == 5)
        }
    }

    @Test func aCommitThatChangesNothingInTheResultYieldsNothing() async throws {
        try await withStore { store in
            try await store.insertNotes("a", "b")
            let reads = Mutex(0)
            var states = store.observe { context in
                reads.withLock { $0 += 1 }
                return try await context.find(Note.self, id: "a")?.size
            }.makeAsyncIterator()
            #expect(try await states.next() == 0)

            try await store.resize("b", to: 1)
            async let resized: Void = store.resize("a", to: 2)

            // The query yields neither a state for the second note nor the same state twice.
            #expect(try await states.next() == 2)
            try await resized
            #expect(reads.withLock(\.self) >= 2)
        }
    }

    /// The new entity has the same version as the deleted entity.
    @Test func anEntityThatWasDeletedAndInsertedAgainYieldsAState() async throws {
        try await withStore { store in
            try await store.execute { $0.insert(Note("a", title: "old")) }
            var titles = store.observe { try await $0.find(Note.self, id: "a")?.title }.makeAsyncIterator()
            var all = store.observe { try await $0.fetch(Note.self).map(\.title) }.makeAsyncIterator()
            #expect(try await titles.next() == "old")
            #expect(try await all.next() == ["old"])

            try await store.execute { context in
                context.delete(try #require(try await context.find(Note.self, id: "a")))
            }
            try await store.execute { $0.insert(Note("a", title: "new")) }

            #expect(try await titles.next() == "new")
            #expect(try await all.next() == ["new"])
        }
    }

    @Test func aQueryOfTheLogYieldsWhenTheLogGrows() async throws {
        try await withStore { store in
            var pages = store.observe { context in
                try await context.events(after: 1, limit: 2).map(\.position)
            }.makeAsyncIterator()
            #expect(try await pages.next() == [])

            // The first event is before the position from which the query reads.
            try await store.insertNotes("a")
            async let second: Void = store.insertNotes("b")
            #expect(try await pages.next() == [2])
            try await second
            async let others: Void = store.insertNotes("c", "d")

            #expect(try await pages.next() == [2, 3])
            try await others
        }
    }

    @Test func aQueryOfTheLogIgnoresChangesWithoutEvents() async throws {
        try await withStore { store in
            try await store.insertNotes("a")
            let reads = Mutex(0)
            let (read, hasRead) = AsyncStream<Void>.makeStream()
            let observing = Task {
                var counts = store.observe { context in
                    reads.withLock { $0 += 1 }
                    return try await context.events(after: 0, limit: 10).count
                }.makeAsyncIterator()
                let first = try await counts.next()
                hasRead.yield()
                return [first, try await counts.next()]
            }
            for await _ in read { break }

            for size in 1...20 { try await store.resize("a", to: size) }
            try await store.insertNotes("b")

            #expect(try await observing.value == [1, 2])
            #expect(reads.withLock(\.self) == 2)
        }
    }

    @Test func aCommitBetweenTwoStatesIsNotMissed() async throws {
        try await withStore { store in
            var states = store.observe { try await $0.fetch(Note.self).count }.makeAsyncIterator()
            let writing = Task {
                for number in 1...100 { try await store.insertNotes("\(number)") }
            }

            var counts: [Int] = []
            while counts.last != 100, let count = try await states.next() { counts.append(count) }

            try await writing.value
            #expect(counts.last == 100)
            #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func anErrorOfTheReadEndsTheIteration() async throws {
        struct Failure: Error {}
        try await withStore { store in
            var states = store.observe { _ -> Int in throw Failure() }.makeAsyncIterator()

            await #expect(throws: Failure.self) { _ = try await states.next() }

            let afterwards = try await states.next()
            #expect(afterwards == nil)
        }
    }

    @Test func cancellingTheTaskEndsTheWaiting() async throws {
        try await withStore { store in
            let (read, hasRead) = AsyncStream<Void>.makeStream()
            let observing = Task {
                for try await _ in store.observe({ try await $0.fetch(Note.self).count }) { hasRead.yield() }
            }
            for await _ in read { break }

            observing.cancel()

            await #expect(throws: CancellationError.self) { try await observing.value }
        }
    }

    @Test func commitsOfAnotherStoreOnTheFileAreFoundAtTheNextTick() async throws {
        try await withTemporaryFolder { folder in
            let (clock, tick) = TickingClock.make()
            let store = try openStore(folder.path(of: "store.sqlite"))
            let other = try openStore(folder.path(of: "store.sqlite"))
            var states = store.observe(polling: .seconds(1), clock: clock) {
                try await $0.fetch(Note.self).map(\.id)
            }.makeAsyncIterator()
            #expect(try await states.next() == [])

            try await other.insertNotes("a")
            tick.yield()

            #expect(try await states.next() == ["a"])
        }
    }

    private nonisolated(nonsending) func withStore(
        _ body: nonisolated(nonsending) (SQLiteStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try await body(try openStore(folder.path(of: "store.sqlite")))
        }
    }
}

extension EntityStore {
    fileprivate nonisolated(nonsending) func resize(_ id: String, to size: Int) async throws {
        try await execute { context in
            try await context.find(Note.self, id: id)?.size = size
        }
    }
}
#endif
