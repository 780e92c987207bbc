// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import Testing

/// Two versions of a program have one file open, as during a rolling deployment.
@Suite(.timeLimit(.minutes(5))) struct StoreUpgradeTests {
    // MARK: The version that was started first

    @Test(arguments: NoteUpgrade.allCases.filter { !$0.canBeShared })
    func theOlderProgramGetsATypedErrorFromEveryOperationAndChangesNothing(upgrade: NoteUpgrade) async throws {
        try await withStores(upgrade) { older, _ in
            try await expectUnusable(older)
        }
    }

    @Test(arguments: NoteUpgrade.allCases.filter { $0.canBeUndone && !$0.canBeShared })
    func theNewerProgramGetsATypedErrorAfterTheOlderProgramIsStartedAgain(upgrade: NoteUpgrade) async throws {
        try await withStores(upgrade) { older, newer in
            let again = try openStore(older.path, entities: [upgrade.older], configuration: .replacing)

            try await expectUnusable(newer)
            #expect(try await again.documents() == ["a", "b"])
        }
    }

    @Test func aRestartOfTheOlderProgramKeepsBothInUse() async throws {
        try await withStores(.addedIndex) { older, newer in
            try await newer.commit(.note("c"))
            _ = try openStore(older.path, entities: [LooseNote.self])

            let found = try await older.fetch(
                DocumentQuery(kind: "note", order: .init(index: "title", isDescending: true))
            )
            #expect(found.map(\.reference.key) == ["c", "b", "a"])
        }
    }

    @Test func theErrorNamesTheKindAndTheRemedy() async throws {
        try await withStores(.noLongerUnique) { older, _ in
            let error = await #expect(throws: StoreError.self) { try await older.insertNotes("c") }

            #expect(error?.code == .schemaChanged)
            #expect(error?.isRetryable == false)
            #expect(
                error?.message == """
                    '\(older.path)' was changed by another version of the program while it was open: the indexes or \
                    the schema version of 'note' are different. Nothing was read or stored. To fix, start the version of \
                    this program that changed it.
                    """
            )
        }
    }

    @Test func tablesOfALaterVersionOfHeadraceEndTheUseOfAnOpenStore() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            try withOtherProgram(store.path) { database in
                try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 later')")
                try database.execute(sql: "PRAGMA user_version = 77")
            }

            let error = await #expect(throws: StoreError.self) { try await store.insertNotes("a") }

            #expect(error?.code == .schemaChanged)
            #expect(error?.message.contains("it has tables that this version of Headrace doesn't know") == true)
        }
    }

    @Test func aUnitOfWorkThatReadBeforeTheUpgradeStoresNothingAfterIt() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path)
            try await older.insertNotes("a")

            let error = await #expect(throws: StoreError.self) {
                try await older.execute { context in
                    try await context.find(Note.self, id: "a")?.title = "new"
                    _ = try openStore(path, entities: [LaterNote.self], configuration: .replacing)
                }
            }

            #expect(error?.code == .schemaChanged)
            let newer = try openStore(path, entities: [LaterNote.self])
            #expect(try await newer.execute { try await $0.find(LaterNote.self, id: "a")?.title } == "title of a")
        }
    }

    @Test func eachOfSeveralCommitsInOneTransactionGetsTheError() async throws {
        try await withStores(.noLongerUnique) { older, _ in
            let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do {
                            try await older.insertNotes("\(number)")
                            return nil
                        } catch {
                            return (error as? StoreError)?.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }

            #expect(codes == Array(repeating: .schemaChanged, count: 20))
        }
    }

    @Test func aSnapshotFromBeforeTheUpgradeCanStillBeRead() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path)
            try await older.insertNotes("a")
            let moment = try await older.snapshot()

            _ = try openStore(path, entities: [LaterBareNote.self], configuration: .replacing)

            let query = DocumentQuery(kind: "note", conditions: [.titleOfA])
            #expect(try await moment.fetch(query).map(\.reference.key) == ["a"])
            await #expect(throws: StoreError.self) { try await older.fetch(query) }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func aLiveQueryOfTheOlderProgramEnds(isPolling: Bool) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path)
            let (clock, tick) = TickingClock.make()
            var states = older.observe(polling: isPolling ? .seconds(1) : nil, clock: clock) {
                try await $0.fetch(Note.self).count
            }.makeAsyncIterator()
            #expect(try await states.next() == 0)

            _ = try openStore(path, entities: [LaterBareNote.self], configuration: .replacing)
            // Without polling, the live query fails at the next operation of the store.
            tick.yield()
            if !isPolling { _ = try? await older.events(after: 0, limit: 1) }

            let error = await #expect(throws: StoreError.self) { _ = try await states.next() }
            #expect(error?.code == .schemaChanged)
        }
    }

    // MARK: The version that was started last

    @Test(arguments: NoteUpgrade.allCases)
    func theNewerProgramFindsEverythingInItsIndexes(upgrade: NoteUpgrade) async throws {
        try await withStores(upgrade) { _, newer in
            let all = try await newer.documents()
            #expect(all == ["a", "b"])
            for index in newer.schema.kinds[0].indexes {
                let query = DocumentQuery(kind: "note", order: .init(index: index.name, isDescending: false))
                let found = try await newer.fetch(query).map(\.reference.key)
                #expect(found == ["a", "b"])
            }
        }
    }

    @Test func aDeletionFreesAUniqueValueThatEitherProgramStored() async throws {
        try await withStores(.laterVersion) { older, newer in
            await #expect(throws: StoreError.self) {
                try await older.execute { context in
                    context.delete(try #require(try await context.find(Note.self, id: "a")))
                }
            }

            try await newer.commit(
                ChangeSet(deletions: [
                    ChangeSet.Deletion(
                        reference: EntityReference(kind: "note", key: "a"),
                        expectedVersion: 1,
                        removedEntries: [.titleOfA, ChangeSet.IndexEntry(index: "size", value: .integer(0))]
                    )
                ])
            )
            try await newer.commit(.note("c", title: "title of a", schemaVersion: 2))

            #expect(try await newer.documents() == ["b", "c"])
            let entries = try withOtherProgram(newer.path) {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM headrace_index_entry")
            }
            #expect(entries == 4)
        }
    }

    @Test func writesOfTheOlderProgramAreInTheIndexesOfTheNewerProgram() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path, entities: [BareNote.self], configuration: .init())

            async let opening = Task { try openStore(path, entities: [Note.self], configuration: .init()) }.value
            let stored = try await withThrowingTaskGroup(of: [String].self) { group in
                for task in 0..<4 {
                    group.addTask {
                        var stored: [String] = []
                        for number in 0..<500 {
                            do {
                                try await older.commit(.note("\(task)-\(number)", entries: []))
                            } catch let error as StoreError where error.code == .schemaChanged {
                                break
                            }
                            stored.append("\(task)-\(number)")
                        }
                        return stored
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }

            let query = DocumentQuery(kind: "note", order: .init(index: "title", isDescending: false))
            let found = try await opening.fetch(query).map(\.reference.key)
            #expect(Set(found) == Set(stored))
        }
    }

    // MARK: Changes that affect no other program

    @Test func changesOfUndeclaredKindsDoNotAffectAProgram() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path)
            try await older.insertNotes("a")

            let newer = try openStore(path, entities: [Note.self, Shelf.self])
            try await newer.execute { $0.insert(Shelf("s")) }
            try await older.insertNotes("b")
            try await newer.insertNotes("c")
            let other = try openStore(path, entities: [Shelf.self])

            #expect(try await older.noteIDs() == ["a", "b", "c"])
            #expect(try await newer.noteIDs() == ["a", "b", "c"])
            #expect(try await other.execute { try await $0.fetch(Shelf.self).map(\.id) } == ["s"])
        }
    }

    @Test func openingWithTheSameTypesChangesNothing() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let first = try openStore(path)
            let generation = try first.writerPragma("user_version")

            let second = try openStore(path)
            try await second.insertNotes("a")

            #expect(try await first.noteIDs() == ["a"])
            #expect(try first.writerPragma("user_version") == generation)
        }
    }

    // MARK: Programs that would lock out others

    @Test(arguments: NoteUpgrade.allCases.filter { !$0.canBeShared })
    func aProgramThatWouldLockOutAnotherFailsBeforeItChangesAnything(upgrade: NoteUpgrade) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path, entities: [upgrade.older])
            try await older.commit(.note("a", entries: Set(older.schema.kinds[0].indexes.map(\.name))))
            let before = try contents(path)

            let error = #expect(throws: StoreError.self) { try openStore(path, entities: [upgrade.newer]) }

            #expect(error?.code == .inUse)
            #if os(Linux)
            #expect(error?.message.contains("(process \(ProcessInfo.processInfo.processIdentifier))") == true)
            #endif
            #expect(try contents(path) == before)
            try await older.commit(.note("b", entries: []))
            #expect(try await older.documents() == ["a", "b"])

            try older.close()
            #expect(try await openStore(path, entities: [upgrade.newer]).documents() == ["a", "b"])
        }
    }

    @Test func openingWaitsForAProgramThatItWouldLockOut() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path)
            try await older.insertNotes("a")
            let attempts = AsyncStream.makeStream(of: Void.self)
            var configuration = SQLiteStore.Configuration()
            configuration.replacementTimeout = .seconds(240)
            configuration.faults = { if $0 == .inUse { attempts.continuation.yield() } }

            async let opening = Task { [configuration] in
                try openStore(path, entities: [LaterNote.self], configuration: configuration)
            }.value
            var seen = attempts.stream.makeAsyncIterator()
            await seen.next()
            await seen.next()
            try await older.insertNotes("b")
            try older.close()

            #expect(try await opening.documents() == ["a", "b"])
        }
    }

    @Test func severalProgramsWithTheSameDeclarationsOpenAFileThatNobodyUses() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try openStore(path).close()

            let stores = try await withThrowingTaskGroup(of: SQLiteStore.self) { group in
                for _ in 0..<8 { group.addTask { try openStore(path, entities: [LaterNote.self]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(stores.count == 8)
        }
    }

    // MARK: Helpers

    /// Opens a file with the older version, stores something, and opens it with the newer version.
    private func withStores(
        _ upgrade: NoteUpgrade,
        _ body: (_ older: SQLiteStore, _ newer: SQLiteStore) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path, entities: [upgrade.older])
            for id in ["a", "b"] {
                let entries = older.schema.kinds[0].indexes.map(\.name)
                try await older.commit(.note(id, entries: Set(entries)))
            }
            try await body(older, try openStore(path, entities: [upgrade.newer], configuration: .replacing))
        }
    }

    /// Expects every operation to fail, and the file to be the same after that.
    private func expectUnusable(_ store: SQLiteStore, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let before = try contents(store.path)
        let note = EntityReference(kind: "note", key: "a")
        let lease = Lease(lane: 1, token: 1)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let request = LeaseRequest(subscriptions: ["s"], laneLimit: 9, batchLimit: 9, now: now, duration: .seconds(1))
        let operations: [(String, () async throws -> Void)] = [
            ("find", { _ = try await store.find(note) }),
            ("find all", { _ = try await store.find(all: [note]) }),
            ("fetch", { _ = try await store.fetch(DocumentQuery(kind: "note")) }),
            ("events", { _ = try await store.events(after: 0, limit: 1) }),
            ("snapshot", { _ = try await store.snapshot() }),
            ("insert", { try await store.commit(.note("c")) }),
            ("relaxed insert", { try await store.commit(.note("c", durability: .relaxed)) }),
            ("change", { try await store.commit(.note("a", version: 2)) }),
            ("delete", { try await store.commit(ChangeSet(deletions: [.init(reference: note, expectedVersion: 1)])) }),
            ("lease", { _ = try await store.lease(request) }),
            ("settle", { _ = try await store.settle([Settlement(lease: lease, acknowledged: [1])]) }),
            ("renew", { _ = try await store.renew([lease], until: now) }),
            ("idempotency", { _ = try await store.idempotencyRecord(for: "key") }),
            ("dead letters", { _ = try await store.deadLetters(after: 0, of: nil, limit: 1) }),
            ("dead letter", { _ = try await store.deadLetter(1) }),
            ("replay of dead letters", { _ = try await store.replayDeadLetters([1]) }),
            ("correction of a dead letter", { _ = try await store.replayDeadLetter(1, correctedTo: Data("1".utf8)) }),
            ("discarding", { _ = try await store.discardDeadLetters([1]) }),
            ("replay", { _ = try await store.replay("s", eventsNamed: ["note-changed"], after: 0) }),
            ("pending", { _ = try await store.pendingDeliveries(PendingDeliveryRequest(now: now)) }),
            ("retry", { _ = try await store.retryDeliveries([.init(lane: 1, position: 1)], now: now) }),
            (
                "cancel",
                {
                    _ = try await store.cancelDeliveries([.init(lane: 1, position: 1)], reason: "no", now: now)
                }
            ),
            ("pause", { _ = try await store.pause("s", at: now) }),
            ("resume", { _ = try await store.resume("s") }),
            ("prune", { _ = try await store.prune(PruneRequest(eventsBefore: .distantFuture)) }),
            ("pruned position", { _ = try await store.prunedPosition() }),
            ("statistics", { _ = try await store.deliveryStatistics() }),
        ]
        for (name, operation) in operations {
            let error = await #expect(throws: StoreError.self, "\(name)", sourceLocation: sourceLocation) {
                try await operation()
            }
            #expect(error?.code == .schemaChanged, "\(name)", sourceLocation: sourceLocation)
        }
        #expect(try contents(store.path) == before, sourceLocation: sourceLocation)
    }

    /// The whole content of the file.
    private func contents(_ path: String) throws -> [String] {
        try withOtherProgram(path) { database in
            try ["entity_kind", "entity", "entity_index", "index_entry", "event", "subscription", "lane", "delivery"]
                .flatMap { try Row.fetchAll(database, sql: "SELECT '\($0)', * FROM headrace_\($0) ORDER BY 2, 3") }
                .map(\.description)
        }
    }
}

extension SQLiteStore {
    /// The IDs of all notes of any version.
    fileprivate func documents() async throws -> [String] {
        try await fetch(DocumentQuery(kind: "note")).map(\.reference.key)
    }
}

extension ChangeSet {
    /// A note with an event that must be delivered.
    fileprivate static func note(
        _ id: String,
        title: String? = nil,
        version: Int = 1,
        schemaVersion: Int = 1,
        entries: Set<String> = ["title", "size"],
        durability: Durability = .durable
    ) -> ChangeSet {
        let title = title ?? "title of \(id)"
        let reference = EntityReference(kind: "note", key: id)
        let json = Data(#"{"id":"\#(id)","size":0,"title":"\#(title)"}"#.utf8)
        let document = StoredDocument(reference: reference, version: version, schemaVersion: schemaVersion, json: json)
        let all = [IndexEntry(index: "title", value: .text(title)), IndexEntry(index: "size", value: .integer(0))]
        let added = Set(all.filter { entries.contains($0.index) })
        var changes = ChangeSet(writes: [Write(document: document, addedEntries: version == 1 ? added : [])])
        changes.events = [
            NewEvent(
                id: UUID(),
                name: "note-changed",
                version: 1,
                stream: reference,
                recordedAt: Date(timeIntervalSince1970: 0),
                json: Data("{}".utf8),
                origin: .unknown
            )
        ]
        changes.deliveries = [NewDelivery(event: 0, subscription: "s")]
        changes.durability = durability
        return changes
    }
}

extension ChangeSet.IndexEntry {
    fileprivate static let titleOfA = Self(index: "title", value: .text("title of a"))
}

extension DocumentQuery.Condition {
    fileprivate static let titleOfA = Self(index: "title", test: .oneOf([.text("title of a")]))
}
#endif
