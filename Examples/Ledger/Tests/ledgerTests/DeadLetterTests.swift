// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStorage
import LedgerApplication
import Testing

@Suite struct DeadLetterTests {
    private let ledger: LedgerProcess

    init() throws {
        ledger = try LedgerProcess()
    }

    /// Inserts a dead letter for each subscription into the database, as a relay does.
    private func bury(_ subscriptions: String..., reason: String = "Mailer is\u{1B}[31m out.\nGone.") async throws {
        let opened = try await ledger.location.open()
        let store = opened.base
        for subscription in subscriptions {
            var changes = ChangeSet(
                events: [
                    NewEvent(
                        id: UUID(),
                        name: "transaction-posted",
                        version: 1,
                        stream: EntityReference(kind: "transaction", key: "t1"),
                        recordedAt: Date(timeIntervalSince1970: 0),
                        json: Data(#"{"amount":"3"}"#.utf8)
                    )
                ]
            )
            changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: subscription)]
            try await store.commit(changes)
            let request = LeaseRequest(
                subscriptions: [subscription], laneLimit: 1, batchLimit: 1, now: Date(), duration: .seconds(60))
            let delivery = try #require(try await store.lease(request).lanes.first?.first)
            let failure = Settlement.Failure(
                position: delivery.position, attempts: 12, reason: reason, date: Date(timeIntervalSince1970: 60))
            let lost = try await store.settle(
                [Settlement(lease: delivery.lease, failures: [failure], end: .finished(now: Date()))])
            #expect(lost.isEmpty)
        }
        try opened.close()
    }

    private func statistics() async throws -> DeliveryStatistics {
        let opened = try await ledger.location.open()
        let statistics = try await opened.base.deliveryStatistics()
        try opened.close()
        return statistics
    }

    @Test func deadLettersAreListedShownReplayedAndDiscarded() async throws {
        try await bury("mail", "webhook", "mail")

        #expect(
            try ledger.run("dead-letters").output == """
                1  mail  transaction-posted  Mailer is\u{FFFD}[31m out.
                2  webhook  transaction-posted  Mailer is\u{FFFD}[31m out.
                3  mail  transaction-posted  Mailer is\u{FFFD}[31m out.

                """
        )
        #expect(try ledger.run("dead-letters", "list", "--subscription", "webhook").output.hasPrefix("2  webhook"))
        let shown = try ledger.run("dead-letters", "show", "2").output
        #expect(shown.contains("attempts: 12\n"))
        #expect(shown.contains("given up: 1970-01-01T00:01:00Z\n"))
        #expect(shown.contains("event: transaction-posted, version 1, position 2\n"))
        #expect(shown.contains("stream: transaction 't1'\n"))
        #expect(shown.contains(#"content: {"amount":"3"}"#))

        #expect(try ledger.run("dead-letters", "replay", "2").output == "1 dead letter will be delivered again.\n")
        #expect(
            try ledger.run("dead-letters", "replay", "--all-of", "mail").output
                == "2 dead letters will be delivered again.\n"
        )
        #expect(try ledger.run("dead-letters").output == "There are no dead letters.\n")
        #expect(try await statistics().pendingCount == 3)

        try await bury("other")
        #expect(try ledger.run("dead-letters", "discard", "4", "4").output == "1 dead letter discarded.\n")
        #expect(try await statistics().deadLetterCount == 0)
    }

    @Test func whatIsNotThereIsSaid() async throws {
        try await bury("mail")

        let missing = try ledger.run("dead-letters", "show", "7")
        #expect(missing.status == 1)
        #expect(missing.errors.contains("There is no dead letter 7. To fix, use a number from"))
        for arguments in [["replay", "7"], ["discard", "7"], ["replay", "1", "7"], ["discard", "7", "1"]] {
            let unknown = try ledger.run(["dead-letters"] + arguments)
            #expect(unknown.status == 1)
            #expect(unknown.output == "")
            #expect(
                unknown.errors
                    == "Error: There is no dead letter 7. To fix, use a number from 'ledger dead-letters'.\n"
            )
        }
        #expect(try ledger.run("dead-letters", "replay", "7", "1", "99").errors.contains("no dead letters 7, 99."))
        #expect(try ledger.run("dead-letters").output.hasPrefix("1  mail"))
        for arguments in [["replay"], ["replay", "1", "--all-of", "mail"], ["show", "x"], ["discard"]] {
            #expect(try ledger.run(["dead-letters"] + arguments).status == 64, "\(arguments)")
        }
        #expect(try ledger.run("dead-letters", "--database", "none.sqlite").status == 1)
    }
}
