// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
@testable import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// Units of work that share a transaction: each is atomic, and each caller receives its own outcome.
@Suite(.timeLimit(.minutes(5))) struct GroupCommitTests {
    private let batches = RecordedBatches()

    private func withStore<Result>(
        _ body: nonisolated(nonsending) (SQLiteStore, Turnstile, _ path: String) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFolder { folder in
            let turnstile = Turnstile()
            var configuration = SQLiteStore.Configuration.impatient
            configuration.faults = { turnstile.pass($0) }
            configuration.commitObserver = batches
            let path = folder.path(of: "store.sqlite")
            let result = try await body(openStore(path, configuration: configuration), turnstile, path)
            turnstile.open()
            return result
        }
    }

    /// Executes `works` in one shared transaction, after another commit that is held until they wait.
    ///
    /// - Returns: The outcomes, in the order of `works`.
    private func together(
        on store: SQLiteStore,
        _ turnstile: Turnstile,
        _ works: [@Sendable (EntityContext) async throws -> Void]
    ) async -> [(any Error)?] {
        turnstile.holdUntilQueued(works.count + 1)
        async let first: Void = store.insertNotes("first")
        await turnstile.held()
        let outcomes = await withTaskGroup(of: (Int, (any Error)?).self) { group in
            for (index, work) in works.enumerated() {
                group.addTask {
                    do {
                        try await store.execute { try await work($0) }
                        return (index, nil)
                    } catch {
                        return (index, error)
                    }
                }
            }
            var outcomes = [(any Error)?](repeating: nil, count: works.count)
            for await (index, error) in group { outcomes[index] = error }
            return outcomes
        }
        do { try await first } catch { Issue.record(error) }
        return outcomes
    }

    private static func inserting(_ id: String, title: String? = nil) -> @Sendable (EntityContext) async throws -> Void
    {
        { context in
            let note = Note(id, title: title)
            context.insert(note)
            note.raiseEvent(NoteChanged(id: id))
        }
    }

    @Test func commitsThatWaitForAnotherCommitShareATransaction() async throws {
        try await withStore { store, turnstile, _ in
            let outcomes = await together(on: store, turnstile, (0..<50).map { Self.inserting("\($0)") })

            #expect(outcomes.allSatisfy { $0 == nil })
            #expect(turnstile.count(of: .afterCommit) == 2)
            #expect(turnstile.count(of: .insideGroupCommit) == 49)
            let (notes, events) = (try await store.noteIDs(), try await store.events(after: 0, limit: 100))
            #expect(notes.count == 51)
            #expect(events.count == 51)
        }
    }

    @Test func anObserverReceivesTheStatisticsOfEachTransaction() async throws {
        try await withStore { store, turnstile, _ in
            let outcomes = await together(
                on: store, turnstile, ["a", "a", "b"].map { Self.inserting($0) })

            #expect(outcomes.count { $0 != nil } == 1)
            #expect(batches.all.map(\.storedCount) == [1, 2])
            #expect(batches.all.map(\.failedCount) == [0, 1])
            #expect(batches.all.map(\.waitingCount) == [3, 0])
            // The commits of the second transaction have waited during the first one.
            #expect(batches.all.allSatisfy { $0.duration > .zero } && batches.all[1].wait > .zero)
        }
    }

    @Test func aFailingUnitOfWorkIsRolledBackAloneAndOnlyItsCallerGetsTheError() async throws {
        try await withStore { store, turnstile, _ in
            try await store.insertNotes("taken")
            let before = turnstile.count(of: .afterCommit)

            let outcomes = await together(
                on: store,
                turnstile,
                [
                    Self.inserting("a"),
                    Self.inserting("taken"),
                    Self.inserting("b"),
                    Self.inserting("c", title: "title of taken"),
                    { context in
                        context.insert(Note("d"))
                        context.perform { try $0.execute(sql: "INSERT INTO nowhere VALUES (1)") }
                    },
                    { context in
                        context.insert(Note("e"))
                        context.perform { _ in throw Refusal() }
                    },
                    Self.inserting("f"),
                ]
            )

            #expect(outcomes.map { $0 == nil } == [true, false, true, false, false, false, true])
            #expect((outcomes[1] as? StoreError)?.code == .alreadyExists)
            #expect((outcomes[3] as? StoreError)?.code == .uniqueViolation)
            #expect((outcomes[4] as? DatabaseError)?.message == "no such table: nowhere")
            #expect(outcomes[5] is Refusal)
            #expect(turnstile.count(of: .afterCommit) - before == 2)
            #expect(try await store.noteIDs() == ["a", "b", "f", "first", "taken"])
            #expect(try await store.events(after: 0, limit: 100).count == 5)
        }
    }

    @Test func ofTwoChangesOfOneVersionInOneTransactionOneIsAConflict() async throws {
        try await withStore { store, turnstile, _ in
            try await store.insertNotes("shared")

            let outcomes = await together(
                on: store,
                turnstile,
                (1...8).map { size in { try await $0.find(Note.self, id: "shared")?.size = size } }
            )

            #expect(outcomes.count { $0 == nil } == 1)
            #expect(outcomes.compactMap { ($0 as? StoreError)?.code } == Array(repeating: .versionConflict, count: 7))
        }
    }

    @Test func aUnitOfWorkThatEndsTheTransactionFailsAndTheOthersAreStored() async throws {
        for statement in ["COMMIT", "ROLLBACK", "INSERT OR ROLLBACK INTO headrace_entity_kind VALUES (1, NULL, 1)"] {
            try await withStore { store, turnstile, _ in
                let outcomes = await together(
                    on: store,
                    turnstile,
                    [
                        Self.inserting("a"),
                        { context in
                            context.insert(Note("b"))
                            context.perform { try $0.execute(sql: statement) }
                        },
                        Self.inserting("c"),
                    ]
                )

                #expect(outcomes.map { $0 == nil } == [true, false, true], "\(statement)")
                let ids = try await store.noteIDs()
                #expect(ids.filter { $0 != "b" } == ["a", "c", "first"], "\(statement)")
            }
        }
    }

    @Test func aTransactionThatCannotBeginFailsAllUnitsOfWorkAfterOneWait() async throws {
        try await withStore { store, turnstile, path in
            try await store.insertNotes("before")
            let other = try openQueue(path)
            defer { try? other.close() }

            turnstile.runAfterHeldCommit {
                do { try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") } } catch {
                    Issue.record(error)
                }
            }
            let outcomes = await together(on: store, turnstile, (0..<20).map { Self.inserting("\($0)") })
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }

            #expect(outcomes.compactMap { ($0 as? StoreError)?.code } == Array(repeating: .locked, count: 20))
            #expect(try await store.noteIDs() == ["before", "first"])
            try await store.insertNotes("after")
        }
    }

    @Test func aRelaxedCommitWaitsForTheDiskOnlyInATransactionWithADurableCommit() async throws {
        try await withStore { store, turnstile, _ in
            let synchronous = Journal()
            @Sendable func commit(_ durability: Durability) async throws {
                let context = EntityContext(store, durability: durability)
                try await UnitOfWork(delegator: RecordingDelegator(), context: context).execute { context in
                    context.perform { synchronous.note(try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1) }
                }
            }

            try await commit(.relaxed)
            try await commit(.durable)
            #expect(synchronous.take() == [1, 2])
            #expect(try store.writerPragma("synchronous") == 2)

            let outcomes = await together(
                on: store,
                turnstile,
                [{ _ in try await commit(.relaxed) }, { _ in try await commit(.durable) }]
            )
            #expect(outcomes.allSatisfy { $0 == nil })
            #expect(synchronous.take() == [2, 2])
        }
    }

    @Test func outcomesAreCorrectWhenManyCommitAndFail() async throws {
        try await withStore { store, _, _ in
            let outcomes = await withTaskGroup(of: (String, Bool).self) { group in
                for number in 0..<1_000 {
                    group.addTask {
                        // Each ID is inserted twice, and one in three insertions has SQL that fails.
                        let id = "\(number % 500)"
                        do {
                            try await store.execute { context in
                                context.insert(Note(id, title: "\(number)"))
                                context.perform { _ in if number % 3 == 0 { throw Refusal() } }
                            }
                            return ("\(number)", true)
                        } catch {
                            return ("\(number)", false)
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }

            let stored = Set(try await store.execute { try await $0.fetch(Note.self).map(\.title) })
            #expect(stored == Set(outcomes.filter(\.value).keys))
            // Of the two insertions of an ID, at most one has SQL that fails.
            #expect(stored.count == 500)
        }
    }

    @Test func ofAThousandWritersOfOneEntityEachIsStoredOrGetsAConflict() async throws {
        try await withStore { store, _, _ in
            try await store.insertNotes("a")
            let stored = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<1_000 {
                    group.addTask {
                        do {
                            try await store.execute { try await $0.find(Note.self, id: "a")?.size += 1 }
                            return true
                        } catch let error as StoreError where error.code == .versionConflict {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }

            #expect(stored > 0)
            #expect(try await store.execute { try await $0.find(Note.self, id: "a")?.size } == stored)
        }
    }

    @Test func sqlOfARolledBackUnitOfWorkDoesNotRun() async throws {
        try await withStore { store, _, _ in
            let ran = Journal()
            await #expect(throws: Refusal.self) {
                try await store.execute { context in
                    context.perform { _ in ran.note(1) }
                    throw Refusal()
                }
            }
            try await store.insertNotes("next")
            #expect(ran.take() == [])
        }
    }

    @Test func anotherStoreRefusesSqlAndStoresNothing() async throws {
        let store = try InMemoryStore(entities: [Note.self])

        let error = try await #require(throws: StoreError.self) {
            try await store.execute { context in
                context.insert(Note("a"))
                context.perform { _ in }
            }
        }

        #expect(error.code == .unsupportedWork)
        #expect(try await store.noteIDs() == [])
    }
}

private struct Refusal: Error {}

/// A list of numbers, in the order of the calls.
private final class Journal: Sendable {
    private let numbers = Mutex<[Int]>([])

    func note(_ number: Int) { numbers.withLock { $0.append(number) } }

    func take() -> [Int] {
        numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
    }
}

private final class RecordedBatches: CommitObserver {
    private let state = Mutex<[CommitBatchStatistics]>([])

    var all: [CommitBatchStatistics] { state.withLock { $0 } }

    func committed(_ batch: CommitBatchStatistics) { state.withLock { $0.append(batch) } }
}

/// Holds a commit until the requested number of commits wait behind it, and counts the fault points.
private final class Turnstile: Sendable {
    private struct State {
        var counts: [FaultPoint: Int] = [:]
        var wanted: Int?
        var isHeld = false
        var waiter: CheckedContinuation<Void, Never>?
        var afterHeld: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let door = DispatchSemaphore(value: 0)

    func count(of point: FaultPoint) -> Int { state.withLock { $0.counts[point, default: 0] } }

    /// Holds the next commit until `count` commits wait, itself included.
    func holdUntilQueued(_ count: Int) {
        state.withLock { state in
            state.wanted = state.counts[.commitQueued, default: 0] + count
            state.isHeld = false
        }
    }

    /// Runs `operation` once, immediately after the held commit.
    func runAfterHeldCommit(_ operation: @escaping @Sendable () -> Void) {
        state.withLock { $0.afterHeld = operation }
    }

    /// Returns when a commit is held.
    func held() async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if !state.isHeld { state.waiter = continuation }
                return state.isHeld
            }
            if isHeld { continuation.resume() }
        }
    }

    func open() { door.signal() }

    func pass(_ point: FaultPoint) {
        enum Step { case open, hold(CheckedContinuation<Void, Never>?), run(@Sendable () -> Void), go }
        let step: Step = state.withLock { state in
            state.counts[point, default: 0] += 1
            switch point {
            case .commitQueued where state.counts[.commitQueued] == state.wanted:
                return .open
            case .beforeCommit where state.wanted != nil && !state.isHeld:
                state.isHeld = true
                defer { state.waiter = nil }
                return .hold(state.waiter)
            case .afterCommit:
                defer { state.afterHeld = nil }
                if state.isHeld, let operation = state.afterHeld { return .run(operation) }
                return .go
            default:
                return .go
            }
        }
        switch step {
        case .open: door.signal()
        case .hold(let waiter):
            waiter?.resume()
            door.wait()
        case .run(let operation): operation()
        case .go: break
        }
    }
}
#endif
