// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceInspector
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

/// The pending deliveries and the subscriptions on the page, and the operations on them.
@Suite(.timeLimit(.minutes(2))) struct PendingDeliveryTests {
    private struct CountResponse: Decodable { let count: Int }

    private let bank: BankFixture

    init() throws {
        bank = try BankFixture { $0.redaction = .disabled }
    }

    private func client(allowsWrites: Bool = true) -> Client {
        Client(InspectorRoutes(bank.inspector, allowsWrites: allowsWrites))
    }

    private struct Pending: Decodable {
        struct Delivery: Decodable {
            struct Content: Decodable {
                let name: String
                let payload: String?
            }

            let id: String
            let state: String
            let subscription: String
            let attempts: Int
            let next: Double?
            let hasFailed: Bool
            let failure: String?
            let content: Content
        }

        let deliveries: [Delivery]
        let next: String?
        let hints: [String: String]?
    }

    private struct Paused: Decodable {
        struct Subscription: Decodable {
            let name: String
            let paused: Double?
            let canReplay: Bool
        }

        let subscriptions: [Subscription]
    }

    /// Lets the delivery of the first event fail, so that it waits for an hour.
    private func failFirst() async throws {
        let now = Date()
        let request = LeaseRequest(
            subscriptions: ["statements"], laneLimit: 1, batchLimit: 1, now: now, duration: .seconds(60))
        let delivery = try #require(try await bank.store.lease(request).lanes.first?.first)
        _ = try await bank.store.settle([
            Settlement(
                lease: delivery.lease, attempts: 2, end: .retry(at: now.addingTimeInterval(3_600), now: now),
                reason: "the mailbox is full")
        ])
    }

    @Test func pendingDeliveriesAreShownInPagesWithTheirStates() async throws {
        let client = client()
        try await bank.request(1)
        try await failFirst()
        try await bank.request(2, to: "b")

        let all: Pending = try await client.get("/api/pending").read()
        #expect(all.deliveries.map(\.state) == ["waiting", "retrying"])
        let failed = try #require(all.deliveries.last)
        #expect(failed.subscription == "statements" && failed.content.name == "deposited" && failed.attempts == 2)
        #expect(failed.failure == "the mailbox is full" && failed.next != nil)
        #expect(failed.content.payload?.contains("1") == true)
        #expect(all.next == nil)

        let first: Pending = try await client.get("/api/pending?limit=1").read()
        let cursor = try #require(first.next?.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let second: Pending = try await client.get("/api/pending?limit=1&after=\(cursor)").read()
        #expect((first.deliveries + second.deliveries).map(\.id) == all.deliveries.map(\.id))
        let retrying: Pending = try await client.get("/api/pending?state=retrying&subscription=statements").read()
        #expect(retrying.deliveries.map(\.id) == [failed.id])
        for query in ["state=lost", "after=x", "limit=0", "limit=501"] {
            #expect(await client.get("/api/pending?\(query)").status == 400, "\(query)")
        }
        #expect(await client.get("/api/pending?store=other").status == 404)
    }

    @Test func theRedactionHidesTheErrorAndThePayloadOfAPendingDelivery() async throws {
        let bank = try BankFixture()
        let client = Client(InspectorRoutes(bank.inspector, allowsWrites: true))
        try await bank.request(1)
        let request = LeaseRequest(
            subscriptions: ["statements"], laneLimit: 1, batchLimit: 1, now: Date(), duration: .seconds(60))
        let lease = try #require(try await bank.store.lease(request).lanes.first?.first?.lease)
        _ = try await bank.store.settle([
            Settlement(lease: lease, attempts: 1, end: .retry(at: .distantFuture), reason: "s3cret")
        ])

        let page: Pending = try await client.get("/api/pending").read()

        #expect(page.deliveries.map(\.failure) == [nil])
        #expect(page.deliveries.map(\.content.payload) == [nil])
        #expect(page.hints?.keys.sorted() == ["failure", "storedMessage"])
        #expect(page.deliveries.map(\.hasFailed) == [true])
    }

    @Test func aDeliveryIsRetriedAndCancelledAndTheLogNamesTheOperator() async throws {
        let bank = try BankFixture { $0.operatorHeader = "X-Operator" }
        var client = Client(InspectorRoutes(bank.inspector, allowsWrites: true))
        client.headers.append(("X-Operator", "anna"))
        for amount in 1...2 { try await bank.request(amount, to: "\(amount)") }
        let now = Date()
        let request = LeaseRequest(
            subscriptions: ["statements"], laneLimit: 1, batchLimit: 1, now: now, duration: .seconds(60))
        let lease = try #require(try await bank.store.lease(request).lanes.first?.first?.lease)
        _ = try await bank.store.settle([
            Settlement(lease: lease, attempts: 1, end: .retry(at: now.addingTimeInterval(3_600), now: now))
        ])
        let page: Pending = try await client.get("/api/pending").read()
        let ids = Dictionary(uniqueKeysWithValues: page.deliveries.map { ($0.state, $0.id) })
        let (failed, waiting) = (try #require(ids["retrying"]), try #require(ids["waiting"]))

        let retried = await client.post("/api/pending/retry", #"{"ids": ["\#(failed)", "\#(waiting)"]}"#)
        #expect(try retried.read(CountResponse.self).count == 1)
        let cancelled = await client.post("/api/pending/cancel", #"{"ids": ["\#(waiting)"]}"#)
        #expect(try cancelled.read(CountResponse.self).count == 1)

        let left: Pending = try await client.get("/api/pending").read()
        #expect(left.deliveries.map(\.id) == [failed])
        #expect(left.deliveries.map(\.state) == ["waiting"])
        let reasons = try await bank.store.deadLetters(after: 0, of: nil, limit: 9).map(\.reason)
        #expect(reasons == ["The operator 'anna' has cancelled the delivery."])
        let records = try await bank.store.events(after: 2, limit: 9).map(\.event)
        #expect(records.map(\.name) == ["headrace.operation", "headrace.operation"])
        #expect(records.map(\.origin.principalID) == ["anna", "anna"])
        #expect(
            records.map { String(decoding: $0.json, as: UTF8.self) } == [
                #"{"name":"retry deliveries","target":["\#(failed)","\#(waiting)"]}"#,
                #"{"name":"cancel deliveries","target":["\#(waiting)"]}"#,
            ])
        #expect(await client.post("/api/pending/retry", #"{"ids": ["1"]}"#).status == 400)
        #expect(await client.post("/api/pending/retry", #"{"ids": [1]}"#).status == 400)
    }

    @Test func aSubscriptionIsPausedResumedAndReplayed() async throws {
        let client = client()
        try await bank.request(1)
        let name = #"{"subscription": "statements"}"#

        #expect(await client.post("/api/subscriptions/pause", name).status == 200)
        var subscriptions: Paused = try await client.get("/api/subscriptions").read()
        #expect(subscriptions.subscriptions.map { $0.paused != nil } == [true])
        #expect(subscriptions.subscriptions.map(\.canReplay) == [false])
        #expect(await client.post("/api/subscriptions/resume", name).status == 200)
        subscriptions = try await client.get("/api/subscriptions").read()
        #expect(subscriptions.subscriptions.map { $0.paused != nil } == [false])
        try await bank.deliver(1)

        let refused = await client.post("/api/subscriptions/replay", name)
        #expect(refused.status == 409 && refused.text.contains("inspector.show(relay)"))
        bank.inspector.show(bank.relay)
        subscriptions = try await client.get("/api/subscriptions").read()
        #expect(subscriptions.subscriptions.map(\.canReplay) == [true])
        let replayed = await client.post("/api/subscriptions/replay", name)
        #expect(try replayed.read(CountResponse.self).count == 1)
        let page: Pending = try await client.get("/api/pending").read()
        #expect(page.deliveries.map(\.subscription) == ["statements"])

        let unknown = await client.post("/api/subscriptions/pause", #"{"subscription": "mail"}"#)
        #expect(unknown.status == 409 && unknown.text.contains("statements"))
        #expect(await client.post("/api/subscriptions/pause", #"{"ids": [1]}"#).status == 400)
        let reader = self.client(allowsWrites: false)
        for path in ["subscriptions/pause", "subscriptions/replay", "pending/retry", "pending/cancel"] {
            #expect(await reader.post("/api/\(path)", name).status == 403)
        }
    }

    /// Both stores have a subscription of this name.
    @Test func aReplayDeliversTheEventsOfTheSelectedStoreOnly() async throws {
        let other = try BankFixture()
        bank.inspector.show(ReadAheadStore(other.store), named: "other")
        let client = client()
        try await bank.request(1)
        try await bank.deliver(1)
        try await other.request(2)
        try await other.deliver(1)
        bank.inspector.show(other.relay)

        let mine: Paused = try await client.get("/api/subscriptions?store=Store").read()
        let others: Paused = try await client.get("/api/subscriptions?store=other").read()
        let refused = await client.post("/api/subscriptions/replay", #"{"subscription": "statements"}"#)
        let before = try await other.store.deliveryStatistics().pendingCount
        let replayed = await client.post(
            "/api/subscriptions/replay", #"{"subscription": "statements", "store": "other"}"#)

        #expect(mine.subscriptions.map(\.canReplay) == [false])
        #expect(others.subscriptions.map(\.canReplay) == [true])
        #expect(refused.status == 409)
        #expect(before == 0)
        #expect(replayed.status == 200)
        #expect(try await other.store.deliveryStatistics().pendingCount == 1)
    }
}
