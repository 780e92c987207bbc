// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

/// A damaged file causes an error that names the file, or still works.
///
/// It never ends the process.
@Suite(.timeLimit(.minutes(5))) struct SQLiteStoreDamageTests {
    @Test(arguments: [2, 15, 16, 99, 100, 4_096, 50_000])
    func randomBytesAreCorrupt(count: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var generator = SeededGenerator(seed: UInt64(count))
            try Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
                .write(to: URL(filePath: path))

            let error = #expect(throws: StoreError.self) { try openStore(path) }

            #expect(error?.code == .corrupt)
            #expect(error?.message.hasPrefix("'\(path)' is damaged or not a database (") == true)
            #expect(
                error?.message.hasSuffix(
                    """
                    To fix, restore it from a backup, or recover its data with 'sqlite3 FILE .recover'. \
                    Keep the damaged file until then.
                    """
                ) == true
            )
        }
    }

    @Test func aValidHeaderWithInvalidContentIsCorrupt() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let intact = try await intactFile(in: folder)
            try (intact.prefix(100) + Data(repeating: 0xA5, count: intact.count - 100)).write(to: URL(filePath: path))

            let error = #expect(throws: StoreError.self) { try openStore(path) }

            #expect(error?.code == .corrupt)
        }
    }

    @Test func aTruncatedFileThrowsAnErrorOrWorks() async throws {
        try await withTemporaryFolder { folder in
            let intact = try await intactFile(in: folder)
            let lengths = [1, 10, 16, 18, 50, 99, 100, 101] + stride(from: 256, to: intact.count, by: 768)
            var codes: Set<StoreError.Code> = []

            for length in lengths {
                codes.formUnion(try await use(intact.prefix(length), in: folder, "cut at \(length)"))
            }

            #expect(codes.contains(.corrupt))
        }
    }

    @Test func aFileWithAnOverwrittenPageThrowsAnErrorOrWorks() async throws {
        try await withTemporaryFolder { folder in
            let intact = try await intactFile(in: folder)
            var generator = SeededGenerator(seed: 1)
            let pages = intact.count / 4_096
            var codes: Set<StoreError.Code> = []

            for page in 0..<pages {
                let range = page * 4_096..<(page + 1) * 4_096
                let other = (page + 1) % pages * 4_096
                let contents = [
                    Data(repeating: 0, count: 4_096),
                    Data(repeating: 0xFF, count: 4_096),
                    Data((0..<4_096).map { _ in UInt8.random(in: 0...255, using: &generator) }),
                    intact[other..<other + 4_096],
                ]
                for (number, content) in contents.enumerated() {
                    var damaged = intact
                    damaged.replaceSubrange(range, with: content)
                    codes.formUnion(try await use(damaged, in: folder, "page \(page), content \(number)"))
                }
            }

            #expect(codes.contains(.corrupt))
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func aFileWithFlippedBytesThrowsAnErrorOrWorks(seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let intact = try await intactFile(in: folder)
            var generator = SeededGenerator(seed: seed)

            for round in 0..<80 {
                var damaged = intact
                // Half of the damage is in pages that every opening reads: the header, the tables and their first rows.
                let end = round % 2 == 0 ? intact.count : 4_096
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    damaged[Int.random(in: 0..<end, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
                }
                _ = try await use(damaged, in: folder, "round \(round) of seed \(seed)")
            }
        }
    }

    @Test(arguments: [
        "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE type = 'table'",
        "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = replace(sql, ' STRICT', '')",
        "DROP TABLE headrace_event", "DROP TABLE headrace_entity", "DROP TABLE headrace_index_entry",
        "DROP TABLE headrace_entity_index",
        "DROP TABLE grdb_migrations", "ALTER TABLE headrace_entity RENAME COLUMN version TO revision",
    ])
    func aFileWithOtherTablesThrowsAnErrorOrWorks(sql: String) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path).insertNotes("a", "b")
            try withOtherProgram(path) { database in
                try database.execute(sql: "PRAGMA foreign_keys = OFF")
                try database.execute(sql: sql)
            }
            if sql.contains("writable") {
                try withOtherProgram(path) { database in
                    try? database.execute(
                        sql: "UPDATE headrace_entity SET version = NULL, document = NULL"
                    )
                    try? database.execute(
                        sql: "UPDATE headrace_entity SET version = 'text', document = x'FF00FE', key = 1")
                    try? database.execute(
                        sql: "UPDATE headrace_event SET id = 7, recorded_at = 'text', version = 1e300")
                }
            }

            try withOtherProgram(path) { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            let data = try Data(contentsOf: URL(filePath: path))
            let codes = try await use(data, in: folder, sql)
            #expect(!codes.isEmpty)
        }
    }

    @Test(arguments: [3, 120]) func missingReferencedRowsAreListedUpToAHundred(count: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let store = try openStore(path)
            for number in 0..<count { try await store.insertNotes("\(number)") }
            #expect(try await store.findDamage().isEmpty)
            try withOtherProgram(path) { database in
                try database.execute(sql: "PRAGMA foreign_keys = OFF")
                try database.execute(
                    sql:
                        "UPDATE headrace_entity SET kind = kind + 1000; UPDATE headrace_index_entry SET index_id = 1000"
                )
            }

            let damage = try await store.findDamage()

            let ofEntities = "row 1 of the table 'headrace_entity' refers to a missing row of 'headrace_entity_kind'"
            let ofEntries =
                "a row of the table 'headrace_index_entry' refers to a missing row of 'headrace_entity_index'"
            // Each note has a row of its own and two index entries.
            #expect(damage.count == min(100, 3 * count))
            #expect(damage.contains(ofEntities) || damage.contains(ofEntries))
            #expect(damage.allSatisfy { $0.contains("refers to a missing row of") })
            if count == 3 { #expect(Set(damage).isSuperset(of: [ofEntities, ofEntries])) }
        }
    }

    // MARK: Helpers

    /// Returns the bytes of a store with documents, events and long texts that was closed normally.
    private func intactFile(in folder: URL) async throws -> Data {
        let path = folder.path(of: "intact.sqlite")
        let store = try openStore(path)
        for number in 0..<40 {
            try await store.insertNotes("note \(number)")
        }
        try await store.execute { context in
            context.insert(Note("long", title: String(repeating: "long ", count: 3_000)))
            try await context.find(Note.self, id: "note 3")?.size = 3
        }
        try await fillDeliveries(of: store)
        try store.close()
        let data = try Data(contentsOf: URL(filePath: path))
        #expect(data.count > 40_000)
        return data
    }

    /// Runs all operations of a store on a damaged file.
    ///
    /// - Returns: The codes of the errors.
    private func use(_ data: Data, in folder: URL, _ damage: String) async throws -> Set<StoreError.Code> {
        // The name is unique, because a connection that closes late removes the log by its name.
        let path = folder.path(of: "damaged-\(UUID()).sqlite")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        try data.write(to: URL(filePath: path))

        var codes: Set<StoreError.Code> = []
        func attempt(_ what: String, _ operation: () async throws -> Void) async {
            do {
                try await operation()
            } catch let error as StoreError {
                codes.insert(error.code)
                if error.code != .undecodable, error.entity == nil {
                    #expect(error.message.contains("'\(path)'"), "\(damage): \(what)")
                }
                #expect(error.message.contains("To fix, "), "\(damage): \(what)")
            } catch {
                Issue.record("\(damage): \(what) throws \(type(of: error)): \(error)")
            }
        }

        await attempt("opening") {
            let store = try openStore(path)
            await attempt("finding") { _ = try await store.execute { try await $0.find(Note.self, id: "note 3") } }
            await attempt("fetching") { _ = try await store.execute { try await $0.fetch(Note.self) } }
            await attempt("fetching by an index") {
                _ = try await store.execute { context in
                    let size = EntityIndex<Note>("size") { $0.size }
                    return try await context.fetch(Note.self, where: [.equals(size, 0)], orderedBy: .descending(size))
                }
            }
            await attempt("reading events") { _ = try await store.events(after: 0, limit: 100) }
            await attempt("changing") {
                try await store.execute { try await $0.find(Note.self, id: "note 7")?.title = "new" }
            }
            await attempt("inserting") { try await store.insertNotes("new") }
            await attempt("reading a page") {
                let size = EntityIndex<Note>("size") { $0.size }
                _ = try await store.read { context in
                    let page = try await context.page(Note.self, orderedBy: .ascending(size), limit: 7)
                    return try await context.page(Note.self, orderedBy: .ascending(size), after: page.next, limit: 7)
                        .entities.map(\.id)
                }
            }
            await attempt("leasing and settling") {
                for lane in try await store.lease(.all).lanes {
                    guard let first = lane.first else { continue }
                    let settlement = Settlement(
                        lease: first.lease, acknowledged: [first.position], end: .finished(now: LeaseRequest.all.now))
                    _ = try await store.settle([settlement])
                }
            }
            await attempt("reading dead letters") {
                for letter in try await store.deadLetters(after: 0, of: nil, limit: 10) {
                    _ = try await store.replayDeadLetters([letter.id])
                }
            }
            await attempt("replaying") { _ = try await store.replay("a", eventsNamed: ["note-changed"], after: 3) }
            await attempt("counting") { _ = try await store.deliveryStatistics() }
            await attempt("remembering") { _ = try await store.idempotencyRecord(for: "key") }
            await attempt("pruning") {
                _ = try await store.prune(
                    PruneRequest(eventsBefore: .distantFuture, idempotencyRecordsBefore: .distantFuture)
                )
            }
        }
        return codes
    }

    /// Stores deliveries, a dead letter, a scheduled message and an idempotency record.
    private func fillDeliveries(of store: SQLiteStore) async throws {
        var changes = ChangeSet()
        for number in 0..<30 {
            changes.events.append(
                NewEvent(
                    id: UUID(),
                    name: NoteChanged.eventName,
                    version: 1,
                    stream: EntityReference(kind: Note.entityName, key: "\(number % 7)"),
                    recordedAt: LeaseRequest.all.now,
                    json: Data(#"{"id":"\#(number)"}"#.utf8)
                )
            )
            changes.deliveries.append(ChangeSet.NewDelivery(event: number, subscription: number < 20 ? "a" : "b"))
        }
        changes.idempotencyRecords = [
            IdempotencyRecord(key: "key", command: Data("1".utf8), outcome: Data("2".utf8), date: LeaseRequest.all.now)
        ]
        changes.scheduled = [
            ScheduledMessage(
                id: UUID(),
                kind: .command,
                name: "remind",
                version: 1,
                stream: nil,
                dueAt: LeaseRequest.all.now,
                json: Data("{}".utf8),
                origin: .unknown
            )
        ]
        try await store.commit(changes)
        let delivery = try #require(try await store.lease(.all).lanes.first?.first)
        let failure = Settlement.Failure(
            position: delivery.position, attempts: 3, reason: "broken", date: LeaseRequest.all.now)
        _ = try await store.settle([Settlement(lease: delivery.lease, failures: [failure])])
    }
}

extension LeaseRequest {
    /// A request for all lanes, with a lease of zero seconds.
    fileprivate static let all = LeaseRequest(
        subscriptions: ["a", "b", ScheduledMessage.subscription],
        laneLimit: 100,
        batchLimit: 100,
        now: Date(timeIntervalSince1970: 1_700_000_000),
        duration: .zero
    )
}
#endif
