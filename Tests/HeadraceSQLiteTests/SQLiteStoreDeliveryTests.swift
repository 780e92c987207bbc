// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
@testable import HeadraceSQLite
import HeadraceStorage
import Synchronization
import Testing

/// Deliveries in a file, across openings and after a migration from a version without deliveries.
@Suite(.timeLimit(.minutes(5))) struct SQLiteStoreDeliveryTests {
    @Test func aFileOfAVersionWithoutDeliveriesOpensAndKeepsItsEvents() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path).insertNotes("a", "b")
            try withOtherProgram(path) { database in
                try database.execute(
                    sql: """
                        PRAGMA foreign_keys = OFF;
                        DROP TABLE headrace_delivery; DROP TABLE headrace_lane; DROP TABLE headrace_dead_letter;
                        DROP TABLE headrace_scheduled_message; DROP TABLE headrace_subscription;
                        DROP TABLE headrace_idempotency; DROP TABLE headrace_pruned_event;
                        DROP TABLE headrace_unindexed;
                        ALTER TABLE headrace_event DROP COLUMN origin;
                        ALTER TABLE headrace_event RENAME TO event;
                        ALTER TABLE headrace_entity RENAME TO entity;
                        ALTER TABLE headrace_entity_kind RENAME TO entity_kind;
                        ALTER TABLE headrace_entity_index RENAME TO entity_index;
                        ALTER TABLE headrace_index_entry RENAME TO index_entry;
                        DELETE FROM grdb_migrations
                        WHERE identifier NOT IN ('1 entities and events', '3 indexes of one value');
                        """
                )
            }

            let store = try openStore(path)
            try await store.insertNotes("c")

            #expect(try await store.events(after: 0, limit: 10).map(\.event.origin.causationID) == [nil, nil, nil])
            #expect(try await store.noteIDs() == ["a", "b", "c"])
            #expect(try await store.deliveryStatistics().lastPosition == 3)
        }
    }

    @Test func aFileOfAVersionWithoutPausesOpensWithItsDeliveriesAndCanBePaused() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path)
            var changes = ChangeSet(events: [.counted])
            changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "count")]
            try await older.commit(changes)
            try older.close()
            try withOtherProgram(path) { database in
                try database.execute(
                    sql: """
                        ALTER TABLE headrace_subscription DROP COLUMN paused_at;
                        ALTER TABLE headrace_lane DROP COLUMN last_failure;
                        DELETE FROM grdb_migrations
                        WHERE identifier IN ('6 paused subscriptions', '7 failures of attempts');
                        """
                )
            }

            let store = try openStore(path)
            let request = LeaseRequest(
                subscriptions: ["count"], laneLimit: 9, batchLimit: 9, now: Date(timeIntervalSince1970: 1_700_000_000),
                duration: .seconds(10))
            #expect(try await store.pause("count", at: request.now))
            #expect(try await store.lease(request).lanes.isEmpty)
            #expect(try await store.resume("count"))
            #expect(try await store.lease(request).lanes.map(\.count) == [1])
        }
    }

    @Test func aDeadLetterOfAVersionWithoutCorrectionsCanBeCorrected() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let older = try openStore(path)
            var changes = ChangeSet(events: [.counted])
            changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "count")]
            try await older.commit(changes)
            let request = LeaseRequest(
                subscriptions: ["count"], laneLimit: 9, batchLimit: 9, now: Date(timeIntervalSince1970: 1_700_000_000),
                duration: .seconds(10))
            let delivery = try #require(try await older.lease(request).lanes.first?.first)
            let failure = Settlement.Failure(position: 1, attempts: 1, reason: "broken", date: request.now)
            _ = try await older.settle(
                [Settlement(lease: delivery.lease, failures: [failure], end: .finished(now: request.now))])
            try older.close()
            try withOtherProgram(path) { database in
                try database.execute(
                    sql: """
                        ALTER TABLE headrace_lane DROP COLUMN correction;
                        ALTER TABLE headrace_dead_letter DROP COLUMN correction;
                        DELETE FROM grdb_migrations WHERE identifier = '8 corrected dead letters';
                        """
                )
            }

            let store = try openStore(path)
            let letter = try #require(try await store.deadLetters(after: 0, of: nil, limit: 1).first)
            #expect(!letter.isCorrected)
            #expect(try await store.replayDeadLetter(letter.id, correctedTo: Data("[7]".utf8)))
            let leased = try await store.lease(request).lanes.flatMap(\.self)
            #expect(leased.map(\.content.message?.json) == [Data("[7]".utf8)])
        }
    }

    @Test func aPageOfPendingDeliveriesIsReadInTheOrderOfAnIndex() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            let plan = try withOtherProgram(store.path) { database in
                let sql = "EXPLAIN QUERY PLAN \(PendingDeliveryQuery.sql)"
                let rows = try Row.fetchAll(database, sql: sql, arguments: [1, 0, 0, 0, 0, nil, 9])
                return rows.map { $0["detail"] as String }
            }

            #expect(
                plan.first?.contains("SEARCH lane USING INDEX headrace_lane_by_time (subscription=? AND ready_at>?)")
                    == true)
            #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(plan)")
        }
    }

    @Test func aRelayOfALaterOpeningDeliversPendingMessages() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let services = ServiceLocator()
            let counted = Counted()
            services.register(counted)
            let registrar = DomainEventHandlerRegistrar(resolver: services)
            registrar.register(CountChange.self)
            let ids = (0..<50).map { "note \($0)" }
            let first = try openStore(path)
            for id in ids {
                try await UnitOfWork(delegator: registrar, context: EntityContext(first)).execute { context in
                    let note = Note(id)
                    context.insert(note)
                    note.raiseEvent(NoteChanged(id: id))
                }
            }
            try first.close()

            let store = try openStore(path)
            let relay = Relay(store: store, registrar: registrar)
            let running = Task { try await relay.run() }
            await counted.wait(for: ids.count)
            relay.shutDown()
            try await running.value

            let sizes = try await store.execute { try await $0.fetch(Note.self).map(\.size) }
            #expect(sizes == Array(repeating: 1, count: ids.count))
            #expect(try await store.deliveryStatistics().pendingCount == 0)
            #expect(try store.writerPragma("synchronous") == 2)
        }
    }

    @Test func aFullStoreKeepsTheRelayWaitingAndLosesNothing() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            var configuration = SQLiteStore.Configuration()
            configuration.maximumByteCount = 300_000
            let small = try openStore(path, configuration: configuration)
            let counted = Counted()
            let services = ServiceLocator()
            services.register(counted)
            let registrar = DomainEventHandlerRegistrar(resolver: services)
            registrar.register(CountChange.self)
            let long = String(repeating: "x", count: 4_000)
            var ids: [String] = []
            do {
                while ids.count < 1_000 {
                    let id = "\(1_000 + ids.count)"
                    try await UnitOfWork(delegator: registrar, context: EntityContext(small)).execute { context in
                        let note = Note(id, title: id + long)
                        context.insert(note)
                        note.raiseEvent(NoteChanged(id: id))
                    }
                    ids.append(id)
                }
            } catch let error as StoreError {
                #expect(error.code == .full)
            }
            #expect(ids.count > 10)
            try small.close()

            let store = try openStore(path)
            let relay = Relay(store: store, registrar: registrar)
            let running = Task { try await relay.run() }
            await counted.wait(for: ids.count)
            relay.shutDown()
            try await running.value
            #expect(try await store.execute { try await $0.fetch(Note.self).map(\.size) } == ids.map { _ in 1 })
            #expect(try await store.deliveryStatistics().pendingCount == 0)
        }
    }

    @Test func aPageByAnIndexOfOneValueReadsOnlyItsResult() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path).insertNotes("a")
            let query = """
                SELECT entity.key FROM headrace_index_entry AS place CROSS JOIN headrace_entity AS entity
                ON entity.kind = 1 AND entity.key = place.key
                WHERE place.index_id = 1 AND (place.value, place.key) > (3, 'a')
                ORDER BY place.value ASC, place.key ASC LIMIT 10
                """
            try withOtherProgram(path) { database in
                let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(query)").map { $0["detail"] as String }
                #expect(plan.count == 2, "\(plan)")
                #expect(plan.allSatisfy { $0.contains("SEARCH") && !$0.contains("TEMP") }, "\(plan)")
            }
        }
    }

    @Test func leasingReadsOnlyItsIndex() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            try await openStore(path).insertNotes("a")
            let queries = [
                "SELECT id FROM headrace_lane WHERE subscription = 1 AND ready_at = 0 ORDER BY id LIMIT 9",
                """
                SELECT id FROM headrace_lane WHERE subscription = 1 AND ready_at BETWEEN 1 AND 9
                ORDER BY ready_at, id LIMIT 9
                """,
                "SELECT min(ready_at) FROM headrace_lane WHERE subscription = 1 AND ready_at > 9",
                "SELECT min(position) FROM headrace_delivery WHERE lane = 1",
            ]
            try withOtherProgram(path) { database in
                for query in queries {
                    let plan = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(query)").map {
                        $0["detail"] as String
                    }
                    #expect(plan.count == 1, "\(query): \(plan)")
                    #expect(plan.allSatisfy { $0.contains("SEARCH") && !$0.contains("TEMP") }, "\(query): \(plan)")
                }
            }
        }
    }
}

/// Counts the changes of a note and stores the count in the note.
private struct CountChange: DurableDomainEventHandler {
    static let subscriptionName = "count"

    static func handle(event: NoteChanged, resolver: any DependencyResolver) async throws {
        let context = resolver.resolve(EntityContext.self)
        try await context.find(Note.self, id: event.id)?.size += 1
        resolver.resolve(Counted.self).add()
    }
}

private final class Counted: Sendable {
    private let state = Mutex<(count: Int, waiter: (Int, CheckedContinuation<Void, Never>)?)>((0, nil))

    func add() {
        let done = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count += 1
            guard let waiter = state.waiter, state.count >= waiter.0 else { return nil }
            state.waiter = nil
            return waiter.1
        }
        done?.resume()
    }

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if state.count >= count { return true }
                state.waiter = (count, continuation)
                return false
            }
            if isNow { continuation.resume() }
        }
    }
}

extension NewEvent {
    /// An event without content.
    fileprivate static var counted: NewEvent {
        NewEvent(
            id: UUID(), name: "counted", version: 1, stream: nil, recordedAt: Date(timeIntervalSince1970: 0),
            json: Data("{}".utf8))
    }
}
#endif
