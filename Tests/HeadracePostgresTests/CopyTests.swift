// SPDX-License-Identifier: Apache-2.0

#if Postgres && SQLite
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceSQLite
import HeadraceStorage
import Testing

/// Copies of SQLite stores.
@Suite(.needsServer, .timeLimit(.minutes(2))) struct CopyTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "copy-\(UUID())")
    private var path: String { folder.appending(path: "store.sqlite").path(percentEncoded: false) }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Opens a file, and removes its folder afterwards.
    private func withSource(
        entities: [any StoredEntity.Type] = [Note.self, Odd.self],
        _ body: (SQLiteStore) async throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteStore(path: path, entities: entities)
        try await body(store)
        try store.close()
    }

    private func copy(_ store: SQLiteStore, to schema: TestSchema) async throws -> StoreCopySummary {
        try await PostgresStore.copy(
            try await store.contents(), to: schema.url, entities: [Note.self], configuration: schema.configuration)
    }

    private static let oddTexts = [
        "", "\0", "\u{1}", "\0\u{1}\u{2}", "é", "e\u{301}", "😀", "\u{FFFF}", "'\"\\",
        String(repeating: "ä", count: 480),
    ]

    /// Fills `store` with all kinds of rows, and returns the dates of the deliveries.
    private func fill(_ store: SQLiteStore) async throws {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        for (number, text) in Self.oddTexts.enumerated() {
            var changes = ChangeSet.note("note \(number)", title: "title \(number)", for: "mail")
            changes.writes.append(
                ChangeSet.Write(
                    document: StoredDocument(
                        reference: EntityReference(kind: "odd \0", key: text),
                        version: 1,
                        schemaVersion: 1,
                        json: Data(#"{"a": -0.0,  "b":1e400,"n":"\u0000","id":"x"}"#.utf8)
                    )
                )
            )
            changes.events.append(
                NewEvent(
                    id: UUID(), name: "odd \(text.prefix(100))", version: number,
                    stream: number.isMultiple(of: 2) ? nil : EntityReference(kind: "odd \0", key: text),
                    recordedAt: now,
                    json: Data("[ \(number) ]".utf8),
                    origin: MessageOrigin(causationID: UUID(), principalID: "\0 \(text)", trace: ["a": text])))
            changes.deliveries.append(ChangeSet.NewDelivery(event: 1, subscription: "odd \u{1}"))
            changes.idempotencyRecords = [
                IdempotencyRecord(
                    key: "key \(text)", command: Data(#"{"x": 1}"#.utf8), outcome: Data("null".utf8), date: now)
            ]
            changes.scheduled = [
                ScheduledMessage(
                    id: UUID(), kind: number.isMultiple(of: 2) ? .command : .event, name: "later", version: 1,
                    stream: EntityReference(kind: "note", key: text),
                    dueAt: now.addingTimeInterval(60 + Double(number)),
                    json: Data("{}".utf8))
            ]
            try await store.commit(changes)
        }
        _ = try await store.pause(ScheduledMessage.subscription, at: now)
        // One lane is leased, one has failed, one waits for another relay, and one delivery is dead.
        let request = LeaseRequest(
            subscriptions: ["mail"], laneLimit: 4, batchLimit: 1, now: now, duration: .seconds(60))
        let lanes = try await store.lease(request).lanes.compactMap(\.first)
        try #require(lanes.count == 4)
        let failure = Settlement.Failure(position: lanes[0].position, attempts: 3, reason: "Gone.\0", date: now)
        _ = try await store.settle([
            Settlement(lease: lanes[0].lease, failures: [failure], end: .finished(now: now)),
            Settlement(
                lease: lanes[1].lease, attempts: 2, end: .retry(at: now.addingTimeInterval(9), now: now),
                reason: "Busy.\0"),
            Settlement(
                lease: lanes[2].lease,
                end: .unknown(name: "new\0", version: 2, since: now, until: now.addingTimeInterval(5), now: now)),
        ])
    }

    @Test func correctedContentsAreCopied() async throws {
        try await withSource { source in
            var changes = ChangeSet(events: [
                NewEvent(
                    id: UUID(), name: "posted", version: 1, stream: nil, recordedAt: Date(timeIntervalSince1970: 0),
                    json: Data("{}".utf8))
            ])
            changes.deliveries = ["a", "b"].map { ChangeSet.NewDelivery(event: 0, subscription: $0) }
            try await source.commit(changes)
            let request = LeaseRequest(
                subscriptions: ["a", "b"], laneLimit: 9, batchLimit: 9, now: Date(timeIntervalSince1970: 1_700_000_000),
                duration: .seconds(60))
            // The first round fails before the correction, and 'a' fails again after it.
            for (failing, json) in [(["a", "b"], "[7]"), (["a"], nil)] {
                for delivery in try await source.lease(request).lanes.flatMap(\.self)
                where failing.contains(delivery.subscription) {
                    let failure = Settlement.Failure(
                        position: delivery.position, attempts: 1, reason: "no", date: request.now)
                    _ = try await source.settle(
                        [Settlement(lease: delivery.lease, failures: [failure], end: .finished(now: request.now))])
                }
                guard let json else { continue }
                for letter in try await source.deadLetters(after: 0, of: nil, limit: 9) {
                    #expect(try await source.replayDeadLetter(letter.id, correctedTo: Data(json.utf8)))
                }
            }
            try await withSchema { schema in
                _ = try await copy(source, to: schema)
                let store = try await PostgresStore(
                    url: schema.url, entities: [Note.self, Odd.self], configuration: schema.configuration)

                let letters = try await store.deadLetters(after: 0, of: nil, limit: 9)
                #expect(letters.map(\.isCorrected) == [true])
                #expect(letters.map(\.content.message?.json) == [Data("[7]".utf8)])
                let pending = try await store.pendingDeliveries(PendingDeliveryRequest(now: request.now))
                #expect(pending.map(\.subscription) == ["b"])
                #expect(pending.map(\.content.message?.json) == [Data("[7]".utf8)])
            }
        }
    }

    @Test func everyRowIsCopiedAndLaterRowsContinueItsNumbers() async throws {
        try await withSource { source in
            try await fill(source)
            // The last event is gone, and its position must not be used again.
            var gone = ChangeSet()
            gone.events = [
                NewEvent(
                    id: UUID(), name: "gone", version: 1, stream: nil, recordedAt: Date(timeIntervalSince1970: 0),
                    json: Data("{}".utf8))
            ]
            try await source.commit(gone)
            #expect(try await source.prune(PruneRequest(eventsBefore: Date(timeIntervalSince1970: 9))) == 1)
            try await withSchema { schema in
                let summary = try await copy(source, to: schema)

                let count = Self.oddTexts.count
                #expect(summary.entityCount == 2 * count && summary.eventCount == 2 * count)
                #expect(summary.deliveryCount == 3 * count - 1 && summary.scheduledMessageCount == count)
                #expect(summary.deadLetterCount == 1 && summary.idempotencyRecordCount == count)
                let store = try await PostgresStore(
                    url: schema.url, entities: [Note.self, Odd.self], configuration: schema.configuration)
                let events = try await source.events(after: 0, limit: .max)
                #expect(try await store.events(after: 0, limit: .max) == events)
                for text in Self.oddTexts {
                    let reference = EntityReference(kind: "odd \0", key: text)
                    #expect(try await store.find(reference) == source.find(reference))
                    let record = try await store.idempotencyRecord(for: "key \(text)")
                    #expect(try await record == source.idempotencyRecord(for: "key \(text)"))
                }
                let query = DocumentQuery(kind: "note", order: DocumentQuery.Order(index: "title", isDescending: false))
                #expect(try await store.fetch(query) == source.fetch(query))
                #expect(try await store.deadLetters(after: 0, of: nil, limit: 9).map(\.reason) == ["Gone.\0"])
                #expect(try await store.deliveryStatistics() == source.deliveryStatistics())
                let pending = PendingDeliveryRequest(state: .retrying, now: Date(timeIntervalSince1970: 1_700_000_001))
                #expect(try await store.pendingDeliveries(pending).map(\.lastFailure) == ["Busy.\0"])
                #expect(try await store.prunedPosition() == Int64(2 * count + 1))
                let later = LeaseRequest(
                    subscriptions: ["mail", "odd \u{1}"], laneLimit: 99, batchLimit: 99,
                    now: Date(timeIntervalSince1970: 1_700_000_030), duration: .seconds(60))
                let leased = try await store.lease(later).lanes.flatMap(\.self)
                let expected = try await source.lease(later).lanes.flatMap(\.self)
                #expect(Set(leased.map(\.position)) == Set(expected.map(\.position)) && leased.count == expected.count)
                #expect(leased.map(\.attempt).sorted() == expected.map(\.attempt).sorted())

                try await store.commit(.note("new", for: "mail"))
                try await source.commit(.note("new", for: "mail"))
                let position = try await store.events(after: events.last?.position ?? 0, limit: 9).map(\.position)
                #expect(position == [Int64(2 * count + 2)])
                let duplicate = await #expect(throws: StoreError.self) {
                    try await store.commit(.note("other", title: "title 3"))
                }
                #expect(duplicate?.code == .uniqueViolation)
                try store.close()
            }
        }
    }

    @Test func aSchemaWithTablesIsRefusedAndUnchanged() async throws {
        try await withSource { source in
            try await source.commit(.note("copied"))
            try await withSchema { schema in
                let store = try await schema.open()
                try await store.commit(.note("there"))

                let error = await #expect(throws: StoreError.self) { try await copy(source, to: schema) }

                #expect(error?.code == .unusable)
                #expect(error?.message.contains("Nothing was copied") == true)
                #expect(try await store.events(after: 0, limit: 9).count == 1)
                try store.close()
            }
        }
    }

    @Test func aCopyThatEndsEarlyLeavesNothing() async throws {
        try await withSource { source in
            for number in 0..<300 { try await source.commit(.note("\(number)")) }
            try await withSchema { schema in
                for table in StoreTable.all where table != .subscriptions {
                    let contents = try await source.contents()
                    let ending = StoreContents(EndingReader(base: contents.reader, table: table))
                    await #expect(throws: (any Error).self) {
                        _ = try await PostgresStore.copy(
                            ending, to: schema.url, entities: [Note.self], configuration: schema.configuration)
                    }
                    let schemas = try await schema.run(
                        "SELECT count(*) FROM pg_namespace WHERE nspname = '\(schema.name)'")
                    #expect(try schemas.first?.integer(0) == 0)
                }

                #expect(try await copy(source, to: schema).entityCount == 300)
            }
        }
    }

    @Test func aSourceThatChangesDuringTheCopyIsRefused() async throws {
        try await withSource { source in
            try await source.commit(.note("first"))
            try await withSchema { schema in
                for other in [source, try SQLiteStore(path: path, entities: [Note.self])] {
                    let contents = try await source.contents()
                    try await other.commit(.note("\(UUID())"))

                    let error = await #expect(throws: StoreError.self) {
                        try await PostgresStore.copy(
                            contents, to: schema.url, entities: [Note.self], configuration: schema.configuration)
                    }
                    #expect(error?.code == .locked)
                }

                #expect(try await copy(source, to: schema).entityCount == 3)
            }
        }
    }

    @Test func aDifferenceIsFoundAndNothingIsCopied() async throws {
        try await withSource { source in
            try await source.commit(.note("first"))
            try await withSchema { schema in
                let changing = StoreContents(ChangingReader(base: try await source.contents().reader))

                let error = await #expect(throws: StoreError.self) {
                    try await PostgresStore.copy(
                        changing, to: schema.url, entities: [Note.self], configuration: schema.configuration)
                }

                #expect(error?.message.contains("'entity' differs") == true)
            }
        }
    }

    @Test func aKeyThatIsTooLongForPostgreSQLIsRefused() async throws {
        try await withSource { source in
            try await source.commit(.note(String(repeating: "x", count: 1_001), title: "short"))
            try await withSchema { schema in
                let error = await #expect(throws: StoreError.self) { try await copy(source, to: schema) }

                #expect(error?.code == .tooLong)
            }
        }
    }
}

/// An entity with an odd name.
private final class Odd: StoredEntity {
    static let entityName = "odd \0"
    static let indexes: [EntityIndex<Odd>] = []

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }
}

/// Fails when a table is read.
private struct EndingReader: StoreContentsReader {
    let base: any StoreContentsReader
    let table: StoreTable

    func rows(of table: StoreTable, after key: [StoreValue]?, limit: Int) async throws -> [[StoreValue]] {
        if table == self.table { throw CancellationError() }
        return try await base.rows(of: table, after: key, limit: limit)
    }

    func lastNumbers() async throws -> [String: Int64] { try await base.lastNumbers() }
    func prunedPosition() async throws -> Int64 { try await base.prunedPosition() }
    func requireUnchanged() async throws { try await base.requireUnchanged() }
}

/// Returns another version of each entity each time.
private final class ChangingReader: StoreContentsReader {
    let base: any StoreContentsReader

    init(base: any StoreContentsReader) {
        self.base = base
    }

    func rows(of table: StoreTable, after key: [StoreValue]?, limit: Int) async throws -> [[StoreValue]] {
        let rows = try await base.rows(of: table, after: key, limit: limit)
        return table == .entities ? rows.map { $0.replacing(2, with: .integer(.random(in: 1...Int64.max))) } : rows
    }

    func lastNumbers() async throws -> [String: Int64] { try await base.lastNumbers() }
    func prunedPosition() async throws -> Int64 { try await base.prunedPosition() }
    func requireUnchanged() async throws { try await base.requireUnchanged() }
}

extension [StoreValue] {
    fileprivate func replacing(_ index: Int, with value: StoreValue) -> Self {
        var values = self
        values[index] = value
        return values
    }
}
#endif
