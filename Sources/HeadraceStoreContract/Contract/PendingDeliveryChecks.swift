// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static let pendingDeliveryChecks: [Check] = [
        Check("pending deliveries are listed with their states, attempts, times, and failures") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.fillWithPending()

            let page = try await fixture.pending(at: 1)

            try requireEqual(
                page.map(\.seen),
                [
                    "a 1 running 0 - 10 -", "a 2 running 0 - 10 -", "a 3 waiting 0 - - -",
                    "a 4 retrying 2 20 - broken", "a 5 unknown 0 30 - -", "a 6 waiting 0 - - -",
                    "b 7 waiting 0 - - -", "headrace.scheduled later scheduled 0 50 - -",
                ],
                "the list of deliveries"
            )
            try requireEqual(page.map(\.isReplay), Array(repeating: false, count: 8), "whether they are replays")
            let ids = Set(page.map(\.id))
            try requireEqual(ids.count, 8, "the number of identities")
            try requireEqual(
                Set(try await fixture.pending(at: 60).map(\.id)), ids, "the identities of the deliveries later")
        },
        Check("a delivery is waiting again when its lease has ended or its time has come") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.fillWithPending()

            for (now, count) in [(10.0, 5), (20, 6), (30, 7), (50, 8)] {
                let waiting = try await fixture.pending(PendingDelivery.State.waiting, at: now)
                try requireEqual(waiting.count, count, "the number of waiting deliveries at \(now)")
            }
        },
        Check("pages of pending deliveries with any filter contain each of them once, in the same order") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.fillWithPending()
            let all = try await fixture.pending(at: 1)

            for state in [nil] + PendingDelivery.State.allCases.map(Optional.some) {
                for subscription in [nil, "a", "b", ScheduledMessage.subscription, "c"] {
                    let expected = all.filter {
                        (state == nil || $0.state == state) && (subscription == nil || $0.subscription == subscription)
                    }
                    for limit in 1...3 {
                        var found: [PendingDelivery] = []
                        while true {
                            // A script passes the cursor as text.
                            let cursor = found.last.flatMap { PendingDelivery.Cursor($0.cursor.description) }
                            let page = try await fixture.pending(
                                state, of: subscription, after: cursor, limit: limit, at: 1)
                            if page.isEmpty { break }
                            try require(page.count <= limit, "a page has at most \(limit) deliveries")
                            found += page
                            if found.count > expected.count { break }
                        }
                        try requireEqual(
                            found.map(\.seen), expected.map(\.seen),
                            "the pages of \(state?.rawValue ?? "all states") of \(subscription ?? "all")")
                    }
                }
            }
            try requireEqual(try await fixture.pending(limit: 0, at: 1).count, 0, "the size of an empty page")
        },
        Check("the failure of a delivery is shortened, and ends with the delivery or a replay") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2))
            let retry = Settlement.End.retry(at: DeliveryFixture.date(0), now: DeliveryFixture.date(0))
            func failures() async throws -> [String?] { try await fixture.pending(at: 0).map(\.lastFailure) }

            var settlement = try await fixture.leaseOne().settlement(acknowledged: 0, attempts: 1, end: retry)
            settlement.reason = String(repeating: "ä", count: 600)
            _ = try await fixture.store.settle([settlement])
            let shortened = String(repeating: "ä", count: Settlement.reasonLimit / 2)
            try requireEqual(try await failures(), [shortened, nil], "the list of failures")

            // An attempt without a reason keeps the last.
            try await fixture.settle(try await fixture.leaseOne(), attempts: 2, end: retry)
            try requireEqual(try await failures(), [shortened, nil], "the list of failures then")

            let handled = try await fixture.leaseOne()
            try await fixture.settle(handled, acknowledged: 1, end: .finished(now: DeliveryFixture.date(0)))
            try requireEqual(try await failures(), [nil], "the list of failures after a success")

            settlement = try await fixture.leaseOne().settlement(acknowledged: 0, attempts: 1, end: retry)
            settlement.reason = "\0 broken"
            _ = try await fixture.store.settle([settlement])
            try requireEqual(try await failures(), ["\0 broken"], "the list of failures of the next")
            _ = try await fixture.store.replay("a", eventsNamed: ["numbered"], after: 0)
            try requireEqual(try await failures(), [nil, nil], "the list of failures after a replay")
        },
        Check("a retried delivery of a commit shows the reason of its settlement") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let end = Settlement.End.retry(at: DeliveryFixture.date(9), now: DeliveryFixture.date(0))
            var settlement = try await fixture.leaseOne().settlement(acknowledged: 0, attempts: 1, end: end)
            settlement.reason = "in a commit"

            try await fixture.store.commit(ChangeSet().settling(settlement))

            let page = try await fixture.pending(at: 0)
            try requireEqual(page.map(\.seen), ["a 1 retrying 1 9 - in a commit"], "the list of deliveries")
        },
    ]
}

extension DeliveryFixture {
    /// Stores deliveries in all states, as of second 1.
    fileprivate nonisolated(nonsending) func fillWithPending() async throws {
        try await store.commit(
            ChangeSet().delivering(1, 2, of: "x").delivering(4, of: "y").delivering(5, 6, of: "z"))
        let lanes = try await lease()
        try await store.commit(
            ChangeSet().delivering(3, of: "x").delivering(7, of: "x", to: ["b"]).scheduling("later", at: 50))
        let now = Self.date(0)
        var retry = lanes[1].settlement(acknowledged: 0, attempts: 2, end: .retry(at: Self.date(20), now: now))
        retry.reason = "broken"
        let unknown = lanes[2].settlement(
            acknowledged: 0, end: .unknown(name: "new", version: 2, since: now, until: Self.date(30), now: now))
        _ = try await store.settle([retry, unknown])
    }

    nonisolated(nonsending) func pending(
        _ state: PendingDelivery.State? = nil,
        of subscription: String? = nil,
        after cursor: PendingDelivery.Cursor? = nil,
        limit: Int = 100,
        at seconds: Double
    ) async throws -> [PendingDelivery] {
        try await store.pendingDeliveries(
            PendingDeliveryRequest(
                state: state, subscription: subscription, after: cursor, limit: limit, now: Self.date(seconds)))
    }
}

extension PendingDelivery {
    /// The properties in one line; times are seconds after the start of the fixture.
    var seen: String {
        func text(_ date: Date?) -> String {
            date.map { "\(Int($0.timeIntervalSince(DeliveryFixture.date(0)).rounded()))" } ?? "-"
        }
        return """
            \(subscription) \(content.number) \(state.rawValue) \(attempts) \(text(nextAttempt)) \(text(leaseEnd)) \
            \(lastFailure ?? "-")
            """
    }
}
