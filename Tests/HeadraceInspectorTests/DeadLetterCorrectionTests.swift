// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceInspector
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

/// The correction of dead letters on the page, and the hints for hidden content.
@Suite(.timeLimit(.minutes(2))) struct DeadLetterCorrectionTests {
    private struct Content: Decodable { let content: String }
    private struct CountResponse: Decodable { let count: Int }

    private struct Letters: Decodable {
        struct Letter: Decodable {
            struct Content: Decodable {
                let name: String
                let payload: String?
                let hidden: [String]?
            }

            let id: Int64
            let reason: String?
            let isCorrected: Bool?
            let canCorrect: Bool?
            let content: Content
        }

        let letters: [Letter]
        let hints: [String: String]?
    }

    private struct Log: Decodable {
        struct Event: Decodable {
            let name: String
            let payload: String?
            let hidden: [String]?
            let operatorName: String?
        }

        let events: [Event]
    }

    private func fixture(
        _ redaction: Redaction = Redaction(showing: Deposited.self),
        allowsWrites: Bool = true
    ) async throws -> (bank: BankFixture, client: Client) {
        let bank = try BankFixture { configuration in
            configuration.redaction = redaction
            configuration.operatorHeader = "X-Operator"
        }
        try await bank.request(13)
        try await bank.deliver(1)
        bank.inspector.show(bank.relay)
        var client = Client(InspectorRoutes(bank.inspector, allowsWrites: allowsWrites))
        client.headers.append(("X-Operator", "anna"))
        return (bank, client)
    }

    private func body(_ content: String, id: Int64 = 1) throws -> String {
        let text = String(decoding: try JSONEncoder().encode(content), as: UTF8.self)
        return #"{"id": \#(id), "content": \#(text)}"#
    }

    private let corrected = #"{"account":"a","amount":7}"#

    @Test func aCorrectedDeadLetterIsDeliveredAndTheLogNamesTheOperator() async throws {
        let (bank, client) = try await fixture()
        let letter = try #require(try await client.get("/api/dead-letters").read(Letters.self).letters.first)
        #expect(letter.canCorrect == true && letter.isCorrected == nil)
        let content = try await client.get("/api/dead-letters/content?id=\(letter.id)").read(Content.self).content
        #expect(content == #"{"account":"a","amount":13}"#)

        let done = await client.post("/api/dead-letters/correct", try body(corrected, id: letter.id))
        #expect(try done.read(CountResponse.self).count == 1)
        let relay = BankFixture.relay(like: bank)
        try await withRelay(relay) { await bank.mail.settled(2) }

        #expect(bank.mail.sent == [7])
        #expect(try await client.get("/api/dead-letters").read(Letters.self).letters.isEmpty)
        let record = try #require(try await client.get("/api/log").read(Log.self).events.last)
        #expect(record.operatorName == "anna" && record.hidden == nil)
        for part in ["correct dead letter", #"amount\":13"#, #"amount\":7"#, "statements"] {
            #expect(record.payload?.contains(part) == true, "\(record.payload ?? "")")
        }
    }

    @Test func aContentThatIsNotShownCanNeitherBeReadNorCorrected() async throws {
        var summary = Redaction(showing: Deposited.self)
        summary.storedMessage = { _, json in "\(json.count) bytes" }
        for redaction in [.typesOnly, summary] {
            let (bank, client) = try await fixture(redaction)
            let letters: Letters = try await client.get("/api/dead-letters").read()
            #expect(letters.letters.map(\.canCorrect) == [nil])

            for response in [
                await client.get("/api/dead-letters/content?id=1"),
                await client.post("/api/dead-letters/correct", try body(corrected)),
            ] {
                #expect(response.status == 403)
                #expect(response.text.contains("InspectorConfiguration(showing:)"))
                #expect(!response.text.contains("13"))
            }
            #expect(try await bank.store.deadLetter(1)?.isCorrected == false)
            #expect(try await bank.store.events(after: 1, limit: 9).isEmpty)
        }
    }

    @Test func hiddenPartsOfADeadLetterSayWhyAndHowToShowThem() async throws {
        let (_, client) = try await fixture(.typesOnly)
        let page: Letters = try await client.get("/api/dead-letters").read()

        #expect(page.letters.map(\.content.hidden) == [["storedMessage", "failure"]])
        #expect(page.hints?.keys.sorted() == ["failure", "storedMessage"])
        #expect(page.hints?["storedMessage"]?.contains("To show it") == true)
        let (_, shown) = try await fixture(.disabled)
        #expect(try await shown.get("/api/dead-letters").read(Letters.self).hints == nil)
    }

    @Test func theLogHidesTheContentsOfACorrectionThatAreNotShown() async throws {
        let (bank, client) = try await fixture(.typesOnly)
        try await DeadLetters(in: bank.store).replay(1, correctedTo: Data(corrected.utf8), by: "bert")

        let record = try #require(try await client.get("/api/log").read(Log.self).events.last)

        #expect(record.payload == #"{"name":"correct dead letter","target":["1"]}"#)
        #expect(record.hidden == ["storedMessage"])
        #expect(record.operatorName == "bert")
    }

    @Test func aContentThatDoesNotDecodeIsRefused() async throws {
        let (bank, client) = try await fixture()
        for content in ["", "{", #"{"account":"a"}"#, #"{"account":"a","amount":"7"}"#] {
            let response = await client.post("/api/dead-letters/correct", try body(content))
            #expect(response.status == 409)
            #expect(response.text.contains("To fix"), "\(response.text)")
        }
        #expect(try await bank.store.deadLetter(1)?.isCorrected == false)
        #expect(try await bank.store.events(after: 1, limit: 9).isEmpty)
    }

    @Test func theTypesOfAnotherStoreDoNotCount() async throws {
        let (bank, client) = try await fixture()
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        registrar.register(ReadNote.self)
        bank.inspector.show(Relay(store: try InMemoryStore(entities: []), registrar: registrar))

        let response = await client.post("/api/dead-letters/correct", try body(corrected))

        #expect(response.status == 200, "\(response.text)")
    }

    @Test func aDeadLetterThatIsGoneIsRefused() async throws {
        let (bank, client) = try await fixture()
        #expect(await client.post("/api/dead-letters/correct", try body(corrected)).status == 200)

        let again = await client.post("/api/dead-letters/correct", try body(corrected))

        #expect(again.status == 409 && again.text.contains("any longer"))
        #expect(await client.get("/api/dead-letters/content?id=1").status == 404)
        #expect(try await bank.store.deliveryStatistics().pendingCount == 1)
        #expect(try await bank.store.events(after: 1, limit: 9).count == 1)
    }

    @Test func aCorrectionHasTheGuardsOfTheOtherChanges() async throws {
        let (bank, client) = try await fixture()
        for malformed in ["", "{}", #"{"id": 1}"#, #"{"id": "1", "content": "{}"}"#, #"{"id": 1, "content": {}}"#] {
            #expect(await client.post("/api/dead-letters/correct", malformed).status == 400, "\(malformed)")
        }
        let json = try body(corrected)
        #expect(await client.post("/api/dead-letters/correct", json, type: "text/plain").status == 415)
        var foreign = client
        foreign.headers.append(("Origin", "http://evil.example"))
        #expect(await foreign.post("/api/dead-letters/correct", json).status == 403)
        var anonymous = client
        anonymous.headers.removeAll { $0.name == "Authorization" }
        #expect(await anonymous.post("/api/dead-letters/correct", json).status == 401)
        #expect(await anonymous.get("/api/dead-letters/content?id=1").status == 401)
        for query in ["", "?id=", "?id=x", "?id=1.5"] {
            #expect(await client.get("/api/dead-letters/content\(query)").status == 400)
        }
        #expect(await client.get("/api/dead-letters/content?id=1&store=other").status == 404)
        let reader = Client(InspectorRoutes(bank.inspector))
        #expect(await reader.post("/api/dead-letters/correct", json).status == 403)
        #expect(try await bank.store.deadLetter(1)?.isCorrected == false)
    }
}

/// An event of another store with the name of `Deposited`.
private struct Note: DurableDomainEvent {
    static let eventName = Deposited.eventName
    var text: String
}

private struct ReadNote: DurableDomainEventHandler {
    static let subscriptionName = "statements"

    static func handle(event: Note, resolver: any DependencyResolver) async throws {}
}
