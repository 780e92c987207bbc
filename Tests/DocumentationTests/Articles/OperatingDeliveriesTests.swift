// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import Testing

/// The samples of the article about operating deliveries.
@Suite struct OperatingDeliveriesTests {
    private static let now = Date()

    /// A store with a mail that has failed, another mail, and a scheduled message.
    private static func makeStore() async throws -> InMemoryStore {
        let store = try InMemoryStore(entities: [])
        var changes = ChangeSet(events: ["one", "two"].map(event))
        changes.deliveries = [0, 1].map { ChangeSet.NewDelivery(event: $0, subscription: "mail") }
        changes.scheduled = [
            ScheduledMessage(
                id: .version7(), kind: .command, name: "advertise", version: 1, dueAt: now.addingTimeInterval(3_600),
                json: Data("{}".utf8))
        ]
        try await store.commit(changes)
        let lanes = try await store.lease(request).lanes
        let lease = try #require(lanes.first?.first?.lease)
        let other = try #require(lanes.last?.first?.lease)
        _ = try await store.settle([
            Settlement(
                lease: lease, attempts: 1, end: .retry(at: now.addingTimeInterval(3_600), now: now), reason: "refused"),
            Settlement(lease: other, end: .released(now: now)),
        ])
        return store
    }

    private static var request: LeaseRequest {
        LeaseRequest(subscriptions: ["mail"], laneLimit: 9, batchLimit: 9, now: now, duration: .seconds(60))
    }

    private static func event(_ name: String) -> NewEvent {
        NewEvent(id: .version7(), name: name, version: 1, stream: nil, recordedAt: now, json: Data("{}".utf8))
    }

    @Test func aSubscriptionIsPausedAndResumed() async throws {
        let store = try await Self.makeStore()

        let subscriptions = Subscriptions(in: store)
        try await subscriptions.pause("mail")
        for subscription in try await subscriptions.all() {
            print(subscription.name, subscription.pendingCount, subscription.pausedSince as Any)
        }
        try await subscriptions.resume("mail")

        #expect(try await store.lease(Self.request).lanes.count == 1)
    }

    @Test func aFailedDeliveryIsRetriedAndAScheduledMessageIsCancelled() async throws {
        let store = try await Self.makeStore()

        let pending = PendingDeliveries(in: store)
        for delivery in try await pending.page(in: .retrying) {
            print(delivery.subscription, delivery.attempts, delivery.nextAttempt as Any, delivery.lastFailure ?? "")
        }
        #expect(try await pending.page(in: .retrying).map(\.lastFailure) == ["refused"])

        let failed = try await pending.page(in: .retrying, of: "mail")
        try await pending.retry(failed.map(\.id))
        #expect(try await pending.page(in: .waiting).count == 2)

        let scheduled = try await pending.page(in: .scheduled)
        let advertisements = scheduled.filter { delivery in
            if case .scheduled(let message) = delivery.content { message.name == "advertise" } else { false }
        }
        try await pending.cancel(advertisements.map(\.id), reason: "The campaign has ended.")
        #expect(try await DeadLetters(in: store).page().map(\.reason) == ["The campaign has ended."])
    }
}
