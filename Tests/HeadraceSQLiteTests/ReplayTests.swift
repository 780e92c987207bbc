// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceCore
import HeadraceDomain
@testable import HeadraceSQLite
import HeadraceStorage
import Synchronization
import Testing

/// Replays of more events than one transaction replays.
@Suite(.timeLimit(.minutes(5))) struct ReplayTests {
    private static let count = 25_000

    @Test func anotherProgramCanWriteBetweenTheTransactionsOfAReplay() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path(of: "store.sqlite")
            let parts = Mutex<[Int]>([])
            let failures = Mutex(0)
            var configuration = SQLiteStore.Configuration()
            configuration.faults = { point in
                if point != .afterReplayPart { return }
                do {
                    // Fails after 10 ms if the file is locked.
                    let count = try withOtherProgram(path) { database in
                        try database.inTransaction(.immediate) {
                            try database.execute(sql: "UPDATE headrace_subscription SET paused_at = 1")
                            return .commit
                        }
                        return try Int.fetchOne(database, sql: "SELECT count(*) FROM headrace_delivery")
                    }
                    parts.withLock { $0.append(count ?? 0) }
                } catch {
                    failures.withLock { $0 += 1 }
                }
            }
            let store = try openStore(path, configuration: configuration)
            try await store.commit(Self.events)

            let replayed = try await store.replay("totals", eventsNamed: ["counted"], after: 0)

            #expect(replayed == Self.count)
            #expect(parts.withLock(\.self) == [10_000, 20_000])
            #expect(failures.withLock(\.self) == 0)
            try store.close()
        }
    }

    @Test func leasesCompleteAReplayWhoseProcessHasEnded() async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            try await store.commit(Self.events)
            try await store.commit(Self.event(1))
            let leased = try await store.lease(Self.request)
            #expect(leased.lanes.count == 1)
            try await begin(in: store)
            try await store.commit(Self.event(1))

            // Each request replays a part; the third finds the replay complete.
            for _ in 1...2 {
                let waiting = try await store.lease(Self.request)
                #expect(waiting.lanes.isEmpty)
                #expect(waiting.nextDue == Self.request.now.addingTimeInterval(0.1))
                #expect(waiting.paused.isEmpty)
            }
            let lanes = try await store.lease(Self.request).lanes

            #expect(
                try await store.settle(leased.lanes.map { Settlement(lease: $0[0].lease) })
                    == leased.lanes.map(\.[0].lease))
            #expect(lanes.allSatisfy { $0.map(\.position) == $0.map(\.position).sorted() })
            // One delivery was pending, and another was committed during the replay.
            #expect(lanes.flatMap(\.self).count { $0.isReplay } == Self.count)
            #expect(lanes.flatMap(\.self).count { !$0.isReplay } == 2)
            #expect(Set(lanes.flatMap(\.self).map(\.position)).count == Self.count + 2)
            try store.close()
        }
    }

    @Test(arguments: [true, false]) func aReplayCompletesAnEarlierOneFirst(haveStream: Bool) async throws {
        try await withTemporaryFolder { folder in
            let store = try openStore(folder.path(of: "store.sqlite"))
            var events = Self.events
            if !haveStream { events.events = events.events.map { _ in Self.counted(in: nil) } }
            try await store.commit(events)
            try await begin(in: store)

            let replayed = try await store.replay("totals", eventsNamed: ["counted"], after: 100)

            #expect(replayed == 0)
            #expect(try await store.deliveryStatistics().subscriptions.map(\.pendingCount) == [Self.count])
            try store.close()
        }
    }

    private static let request = LeaseRequest(
        subscriptions: ["totals"], laneLimit: 200, batchLimit: 1000, now: Date(timeIntervalSince1970: 1_700_000_000),
        duration: .seconds(10))

    private static var events: ChangeSet { ChangeSet(events: (0..<count).map { counted(in: $0 % 100) }) }

    private static func event(_ stream: Int) -> ChangeSet {
        var changes = ChangeSet(events: [counted(in: stream)])
        changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "totals")]
        return changes
    }

    private static func counted(in stream: Int?) -> NewEvent {
        NewEvent(
            id: UUID(), name: "counted", version: 1,
            stream: stream.map { EntityReference(kind: "account", key: "\($0)") },
            recordedAt: Date(timeIntervalSince1970: 1_700_000_000), json: Data("{}".utf8))
    }

    /// Replays the first part, as a process that ends after it.
    private func begin(in store: SQLiteStore) async throws {
        let first = try await store.connections.write { database in
            try ReplayWriter(database).begin("totals", eventsNamed: ["counted"], after: 0)
        }
        #expect(first == ReplayWriter.Progress(count: 10_000, isComplete: false))
    }
}
#endif
