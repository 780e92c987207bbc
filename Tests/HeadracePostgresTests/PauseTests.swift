// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceStorage
import Testing

/// Pauses of subscriptions beside requests for leases.
@Suite(.needsServer, .timeLimit(.minutes(2))) struct PauseTests {
    @Test func aRequestThatWaitsForThePauseLeasesNothing() async throws {
        try await withSchema { schema in
            let store = try await PostgresStore(
                url: schema.url, entities: [Note.self], configuration: schema.configuration)
            try await store.commit(.note("a", for: "mail"))
            let request = LeaseRequest(
                subscriptions: ["mail"], laneLimit: 9, batchLimit: 9, now: Date(timeIntervalSince1970: 1_700_000_000),
                duration: .seconds(10))

            let leased = try await schema.session { session in
                for sql in ["BEGIN", "SELECT \(CommitProcedure.lock)"] {
                    _ = try await session.run(sql, isPrepared: false)
                }
                async let leased = store.lease(request)
                // The request has read the subscriptions when it waits for the lock.
                _ = try await session.run(
                    """
                    DO $$ BEGIN
                        LOOP
                            EXIT WHEN EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                                AND database = (SELECT oid FROM pg_database WHERE datname = current_database()));
                            PERFORM pg_sleep(0.01);
                        END LOOP;
                    END $$
                    """, isPrepared: false)
                for sql in ["UPDATE subscription SET paused_at = 1", "COMMIT"] {
                    _ = try await session.run(sql, isPrepared: false)
                }
                return try await leased
            }

            #expect(leased.lanes.isEmpty)
            #expect(leased.paused == ["mail"])
            #expect(try await store.resume("mail"))
            #expect(try await store.lease(request).lanes.count == 1)
            try store.close()
        }
    }
}
#endif
