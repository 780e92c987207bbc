// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceStorage
import Testing

/// Stores on one schema, as in several processes.
@Suite(.needsServer, .timeLimit(.minutes(2))) struct NotificationTests {
    @Test func aCommitNotifiesTheRelaysAndLiveQueriesOfOtherStores() async throws {
        try await withSchema { schema in
            let (writer, other) = (try await schema.open(), try await schema.open())
            let (signalled, fed) = (other.deliverySignal.position, other.commitFeed.position)

            try await writer.commit(.note("a", for: "subscription"))

            try await other.deliverySignal.wait(after: signalled)
            try await other.commitFeed.waitForChange(of: [.entities("note")], after: fed)
            try await other.commitFeed.waitForChange(of: [.events], after: fed)
        }
    }

    @Test func aStoreThatIsCutOffReportsThatEverythingMayHaveChanged() async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            let (signalled, fed) = (store.deliverySignal.position, store.commitFeed.position)

            try await schema.run(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE query = 'LISTEN \(CommitNotice.channel(of: schema.name))'
                """
            )

            try await store.deliverySignal.wait(after: signalled)
            try await store.commitFeed.waitForChange(of: [.entities("anything")], after: fed)
        }
    }

    @Test func aCommitWithoutANotificationIsFoundByLooking() async throws {
        try await withSchema { schema in
            let (writer, other) = (try await schema.open(), try await schema.open())
            try await other.noticeOtherCommits()
            // The changes of statistics and settings are no commits.
            try await other.noticeOtherCommits()
            let before = other.commitFeed.position
            try await schema.run(
                "INSERT INTO outcome (batch, writer, refusals) VALUES (gen_random_uuid(), gen_random_uuid(), '[]')")

            try await other.noticeOtherCommits()

            #expect(other.commitFeed.position > before)
            // The own commits, and tombstones, are no news.
            let after = other.commitFeed.position
            try await schema.run("INSERT INTO outcome (batch, writer) VALUES (gen_random_uuid(), gen_random_uuid())")
            try await other.noticeOtherCommits()
            #expect(other.commitFeed.position == after)
            // A server that has crashed has lost the last batches, and uses their numbers again.
            try await schema.run("DELETE FROM outcome")
            try await other.noticeOtherCommits()
            #expect(other.commitFeed.position > after)
            try writer.close()
        }
    }

    @Test func aStoreWhoseConnectionsTheServerEndsGoesOn() async throws {
        try await withSchema { schema in
            let name = "headrace \(UUID())"
            let store = try await schema.open(url: schema.url + "&application_name=\(name.replacing(" ", with: "%20"))")
            for round in 0..<5 {
                try await store.commit(.note("\(round)", for: "a"))
                #expect(try await store.events(after: 0, limit: 9).count == round + 1)

                try await schema.run(
                    """
                    SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE application_name = '\(name)'
                    """
                )
            }

            // The first request finds that the connection has ended, if nothing has found it before.
            _ = try? await store.renew([], until: .distantFuture)
            let now = Date(timeIntervalSince1970: 1_700_000_000)
            let leased = try await store.lease(
                LeaseRequest(subscriptions: ["a"], laneLimit: 9, batchLimit: 9, now: now, duration: .seconds(10)))
            #expect(leased.lanes.count == 5)
        }
    }

    @Test func aNoticeThatIsTooLongNamesNoKinds() throws {
        var notice = CommitNotice(writer: UUID())
        notice.kinds = Set((0..<2_000).map { "kind \($0)" })

        let read = try #require(CommitNotice(payload: notice.payload))

        #expect(try notice.payload.utf8.count < 8_000)
        #expect(read.subjects == nil)
    }

    @Test func theServersTimeIsTheStoresClock() async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            let clock = try #require(store.wallClock)

            let rows = try await schema.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")

            let server = Date(milliseconds: try rows.first?.integer(0) ?? 0)
            // The test machine is the server, so only the time between the two readings separates them.
            #expect(abs(clock().timeIntervalSince(server)) < 30)
        }
    }
}
#endif
