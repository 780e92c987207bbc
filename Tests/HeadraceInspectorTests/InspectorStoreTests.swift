// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceInspector
import HeadraceRelay
import HeadraceResolution
import HeadraceTesting
import Testing

/// The content of a store on the page, and the changes to its dead letters.
@Suite(.timeLimit(.minutes(2))) struct InspectorStoreTests {
    private struct Letters: Decodable {
        let letters: [Letter]
    }

    private struct Letter: Decodable {
        struct Content: Decodable {
            let name: String
            let payload: String?
        }

        let id: Int64
        let subscription: String
        let attempts: Int
        let reason: String?
        let content: Content
    }

    private struct Log: Decodable {
        struct Event: Decodable {
            let position: Int64
            let name: String
            let stream: String?
            let payload: String?
        }

        let last: Int64
        let events: [Event]
    }

    private struct Subscriptions: Decodable {
        struct Subscription: Decodable {
            let name: String
            let pending: Int
            let deadLetters: Int
            let lag: Double?
        }

        let subscriptions: [Subscription]
    }

    private struct CountResponse: Decodable { let count: Int }

    private let bank: BankFixture

    init() throws {
        bank = try BankFixture { $0.redaction = .disabled }
    }

    private func client(allowsWrites: Bool = true) -> Client {
        Client(InspectorRoutes(bank.inspector, allowsWrites: allowsWrites))
    }

    private nonisolated(nonsending) func letters(_ client: Client) async throws -> [Letter] {
        try await client.get("/api/dead-letters").read(Letters.self).letters
    }

    @Test func aReplayedDeadLetterIsDeliveredAndRemoved() async throws {
        let client = client()
        try await bank.request(13)
        try await bank.deliver(1)
        let letter = try #require(try await letters(client).first)
        #expect(letter.subscription == "statements")
        #expect(letter.attempts == 1)
        #expect(letter.content.name == "deposited")
        #expect(letter.reason == "the mailbox of 13 is full")
        #expect(letter.content.payload?.contains("13") == true)

        bank.mail.repair()
        let done = await client.post("/api/dead-letters/replay", "{\"ids\": [\(letter.id)]}")
        #expect(done.status == 200)
        #expect(try done.read(CountResponse.self).count == 1)
        let again = BankFixture.relay(like: bank)
        let running = Task { try await again.run() }
        await bank.mail.settled(2)
        again.shutDown()
        try await running.value

        #expect(bank.mail.sent == [13])
        #expect(try await letters(client).isEmpty)
    }

    @Test func discardingIgnoresUnknownDeadLetters() async throws {
        let client = client()
        try await bank.request(13)
        try await bank.deliver(1)
        let letter = try #require(try await letters(client).first)

        let done = await client.post(
            "/api/dead-letters/discard", "{\"ids\": [\(letter.id), 4711], \"store\": \"Store\"}")

        #expect(try done.read(CountResponse.self).count == 1)
        #expect(try await letters(client).isEmpty)
        #expect(
            try await client.post("/api/dead-letters/replay", "{\"ids\": [\(letter.id)]}").read(CountResponse.self)
                .count == 0)
    }

    @Test func aReadOnlyInspectorRefusesChanges() async throws {
        let client = client(allowsWrites: false)
        try await bank.request(13)
        try await bank.deliver(1)

        for verb in ["replay", "discard"] {
            let response = await client.post("/api/dead-letters/\(verb)", "{\"ids\": [1]}")
            #expect(response.status == 403)
            #expect(response.text.contains("allowsWrites"))
        }
        #expect(try await letters(client).count == 1)
    }

    @Test(arguments: [
        ("", "application/json", 400), ("{", "application/json", 400), ("[1]", "application/json", 400),
        ("{\"ids\": [\"1\"]}", "application/json", 400), ("{\"ids\": 1}", "application/json", 400),
        ("{\"ids\": [1e400]}", "application/json", 400), ("{\"ids\": [1]}", "text/plain", 415),
        ("ids=1", "application/x-www-form-urlencoded", 415), ("{\"ids\": [1]}", "", 415),
        ("{\"ids\": [1], \"store\": \"other\"}", "application/json", 404),
        ("{\"ids\": []}", "application/json; charset=utf-8", 200),
    ])
    func aMalformedChangeIsRefused(body: String, type: String, status: Int) async {
        #expect(await client().post("/api/dead-letters/replay", body, type: type).status == status)
    }

    @Test func aChangeWithInvalidUTF8IsRefused() async {
        let client = client()
        let request = InspectorRequest(
            method: "POST",
            target: "/api/dead-letters/replay",
            headers: client.headers + [("Content-Type", "application/json")],
            body: Data([0x7B, 0xFF, 0xFE, 0x00, 0x7D])
        )
        #expect(await client.routes.respond(to: request).status == 400)
    }

    @Test func aChangeOfTooManyDeadLettersIsRefused() async {
        let ids = (1...1_001).map(String.init).joined(separator: ",")
        #expect(await client().post("/api/dead-letters/replay", "{\"ids\": [\(ids)]}").status == 413)
    }

    @Test func otherPathsOfChangesAreNotFound() async {
        for path in [
            "/api/dead-letters", "/api/dead-letters/forget", "/api/overview", "/", "/api/dead-letters/replay/1",
        ] {
            #expect(await client().post(path, "{\"ids\": [1]}").status == 404)
        }
    }

    @Test func theLogShowsItsLatestEventsByDefault() async throws {
        let client = client()
        for amount in 1...5 { try await bank.request(amount) }

        let latest: Log = try await client.get("/api/log?limit=2").read()
        let first: Log = try await client.get("/api/log?after=0&limit=2").read()

        #expect(latest.last == 5)
        #expect(latest.events.map(\.position) == [4, 5])
        #expect(first.events.map(\.position) == [1, 2])
        #expect(first.events.first?.name == "deposited")
        #expect(first.events.first?.stream == "account a")
    }

    @Test func theLagOfASubscriptionIsTheAgeOfItsOldestPendingEvent() async throws {
        let client = client()
        try await bank.request(1)
        try await bank.request(2)

        let waiting: Subscriptions = try await client.get("/api/subscriptions").read()
        try await bank.deliver(2)
        let done: Subscriptions = try await client.get("/api/subscriptions").read()

        let subscription = try #require(waiting.subscriptions.first)
        #expect(subscription.name == "statements" && subscription.pending == 2 && subscription.deadLetters == 0)
        #expect(subscription.lag != nil)
        #expect(done.subscriptions.first?.pending == 0)
        #expect(done.subscriptions.first?.lag == nil)
    }

    @Test func deliveriesAreShownTheLatestFirst() async throws {
        struct Note: Decodable {
            let outcome: String
            let subscription: String
            let message: String
            let attempt: Int
            let failure: String?
        }
        let client = client()
        _ = await client.get("/api/overview")
        try await bank.request(1)
        try await bank.request(13)
        try await bank.deliver(2)

        let notes: [Note] = try await client.get("/api/deliveries").read()

        #expect(notes.map(\.outcome) == ["dead letter", "delivered"])
        #expect(notes.allSatisfy { $0.subscription == "statements" && $0.message == "deposited" && $0.attempt == 1 })
        #expect(notes.first?.failure == "the mailbox of 13 is full")
    }

    @Test func theGraphShowsTheDependenciesOfTheContainer() async throws {
        struct Graph: Decodable {
            struct Node: Decodable {
                struct Edge: Decodable { let target: Int }
                let title: String
                let edges: [Edge]
            }
            let name: String
            let kind: String
            let nodes: [Node]
            let roots: [Int]
            let mermaid: String
        }
        let graphs: [Graph] = try await client().get("/api/graphs").read()
        let graph = try #require(graphs.first)

        #expect(graph.name == "Dependencies" && graph.kind == "dependencies")
        #expect(graph.mermaid == bank.container.graph.mermaid)
        #expect(graph.nodes.contains { $0.title.contains("DepositHandler") })
        #expect(graph.nodes.allSatisfy { $0.edges.allSatisfy { graph.nodes.indices.contains($0.target) } })
        #expect(graph.roots.isEmpty == false)
    }

    @Test func aGraphReplacesAGraphOfTheSameName() async throws {
        struct Overview: Decodable {
            let graphs: [String]
            let stores: [String]
            let allowsWrites: Bool
        }
        bank.inspector.show(bank.container.graph)
        bank.inspector.show(bank.container.graph, named: "Again")
        bank.inspector.show(bank.store)

        let overview: Overview = try await client().get("/api/overview").read()

        #expect(overview.graphs == ["Dependencies", "Again"])
        #expect(overview.stores == ["Store"])
        #expect(overview.allowsWrites)
    }
}
