// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceStorage
import Synchronization
import Testing

/// Replays of more events than one transaction replays.
@Suite(.needsServer, .timeLimit(.minutes(5))) struct ReplayTests {
    private static let count = 25_000

    @Test func aReplayOfManyEventsIsSeveralTransactions() async throws {
        try await withEvents { schema in
            let parts = Mutex(0)
            var configuration = schema.configuration
            configuration.faults = { if $0 == .afterReplayPart { parts.withLock { $0 += 1 } } }
            let store = try await PostgresStore(url: schema.url, entities: [Note.self], configuration: configuration)

            let replayed = try await store.replay("totals", eventsNamed: ["counted"], after: 0)

            #expect(replayed == Self.count)
            #expect(parts.withLock(\.self) == 2)
            let sizes = try await schema.run("SELECT count(*) FROM delivery GROUP BY xmin::text ORDER BY 1")
            #expect(try sizes.rows.map { try $0.integer(0) } == [5000, 10_000, 10_000])
            try store.close()
        }
    }

    /// The part also ends after events that aren't replayed, because it reads them under the lock, too.
    @Test func aPartReadsALimitedNumberOfEventsOfOtherNames() async throws {
        try await withEvents { schema in
            let store = try await schema.open()
            let first = try await schema.session { session in
                try await Replaying(session: session).begin("totals", eventsNamed: ["unknown"], after: 0)
            }

            #expect(first == Replaying.Progress(count: 0, isComplete: false))
            try store.close()
        }
    }

    @Test func leasesCompleteAReplayWhoseProcessHasEnded() async throws {
        try await withEvents { schema in
            let store = try await schema.open()
            try await store.commit(Self.event)
            let leased = try await store.lease(Self.request)
            #expect(leased.lanes.count == 1)
            try await begin(in: schema)
            try await store.commit(Self.event)

            // Each request replays a part; the third finds the replay complete.
            for _ in 1...2 {
                let waiting = try await store.lease(Self.request)
                #expect(waiting.lanes.isEmpty)
                #expect(waiting.nextDue == Self.request.now)
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

    @Test func aRequestDoesNotWaitForAProcessThatReplays() async throws {
        try await withEvents { schema in
            let store = try await schema.open()
            try await begin(in: schema)

            let leased = try await schema.session { session in
                for sql in [
                    "BEGIN",
                    "SELECT pg_advisory_xact_lock(hashtextextended('headrace replay ' || current_schema(), 0))",
                ] { _ = try await session.run(sql, isPrepared: false) }
                let leased = try await store.lease(Self.request)
                _ = try await session.run("ROLLBACK", isPrepared: false)
                return leased
            }

            #expect(leased.lanes.isEmpty)
            #expect(leased.nextDue == nil)
            try store.close()
        }
    }

    @Test func aReplayCompletesAnEarlierOneFirst() async throws {
        try await withEvents { schema in
            let store = try await schema.open()
            try await begin(in: schema)

            let replayed = try await store.replay("totals", eventsNamed: ["counted"], after: 100)

            #expect(replayed == 0)
            let pending = try await store.deliveryStatistics().subscriptions
            #expect(pending.map(\.pendingCount) == [Self.count])
            #expect(try await store.lease(Self.request).lanes.count == 100)
            try store.close()
        }
    }

    private static let request = LeaseRequest(
        subscriptions: ["totals"], laneLimit: 200, batchLimit: 1000, now: Date(timeIntervalSince1970: 1_700_000_000),
        duration: .seconds(10))

    private static var event: ChangeSet {
        let event = NewEvent(
            id: UUID(), name: "counted", version: 1, stream: EntityReference(kind: "account", key: "1"),
            recordedAt: Date(timeIntervalSince1970: 1_700_000_000), json: Data("{}".utf8))
        var changes = ChangeSet(events: [event])
        changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "totals")]
        return changes
    }

    /// Replays the first part, as a process that ends after it.
    private func begin(in schema: TestSchema) async throws {
        let first = try await schema.session { session in
            try await Replaying(session: session).begin("totals", eventsNamed: ["counted"], after: 0)
        }
        #expect(first == Replaying.Progress(count: 10_000, isComplete: false))
    }

    /// Runs `body` with a schema whose log has events of 100 streams.
    private func withEvents(_ body: (TestSchema) async throws -> Void) async throws {
        try await withSchema { schema in
            try await schema.open().close()
            try await schema.run(
                """
                INSERT INTO event (position, id, name, version, stream_kind, stream_key, recorded_at, document)
                SELECT nextval('event_position'), gen_random_uuid(), 'counted', 1, 'account', (n % 100)::text::bytea, 0, '{}'
                FROM generate_series(1, \(Self.count)) n
                """)
            try await body(schema)
        }
    }
}
#endif
