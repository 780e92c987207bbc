// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceInspector
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct RedactionListTests {
    private struct Log: Decodable {
        struct Event: Decodable {
            let name: String
            let stream: String?
            let payload: String?
            let hidden: [String]?
        }

        let events: [Event]
        let hints: [String: String]?
    }

    private func fixture(_ redaction: Redaction) throws -> (bank: BankFixture, client: Client) {
        let bank = try BankFixture { $0.redaction = redaction }
        return (bank, Client(InspectorRoutes(bank.inspector)))
    }

    @Test func theContentOfListedTypesIsShownAndOfAllOthersHidden() async throws {
        let (bank, client) = try fixture(Redaction(showing: Deposit.self))
        await #expect(throws: LimitExceeded.self) { try await bank.request(5_000, to: "s3cret") }

        let flow: Flow = try await client.get("/api/messages").read()

        let deposit = #"HeadraceInspectorTests.Deposit(account: "s3cret", amount: 5000)"#
        #expect(flow.entries.compactMap(\.payload) == [deposit])
        #expect(flow.entries.filter { $0.kind == "command" }.map(\.hidden) == [["failure"]])
        #expect(flow.entries.filter { $0.kind == "event" }.map(\.hidden) == [["message", "failure"]])
        #expect(flow.entries.filter { $0.kind == "unit of work" }.map(\.hidden) == [["failure"]])
    }

    @Test func theContentOfAnEncodableMessageIsItsJSON() async throws {
        for redaction in [Redaction.disabled, Redaction(showing: Deposited.self)] {
            let (bank, client) = try fixture(redaction)
            try await bank.request(5, to: "a7")

            let flow: Flow = try await client.get("/api/messages?kind=event").read()
            #expect(flow.entries.map(\.payload) == [#"{"account":"a7","amount":5}"#])
        }
    }

    private struct Clerk: Principal {
        let principalID = "anna"
    }

    @Test(arguments: [true, false])
    func thePrincipalIsShownByTheListOrTheRule(isListed: Bool) async throws {
        var redaction = Redaction.typesOnly
        if isListed { redaction.show(Clerk.self) } else { redaction.identifier = { $0 == "principal" ? $1 : nil } }
        let (bank, client) = try fixture(redaction)

        try await bank.withRequest("/") {
            try await MessageContext.withPrincipal(Clerk()) {
                try await bank.dispatcher.dispatch(Deposit(account: "a", amount: 5))
            }
        }

        let flow: Flow = try await client.get("/api/messages").read()
        #expect(flow.entries.filter { $0.principal == "anna" }.map(\.kind) == ["command"])
        #expect(flow.entries.contains { $0.hidden?.contains("identifier") == true } == false)
        let found: Flow = try await client.get("/api/messages?search=ANNA").read()
        #expect(found.entries.map(\.kind) == ["command"])
    }

    @Test func anUnlistedPrincipalIsHidden() async throws {
        let (bank, client) = try fixture(.typesOnly)

        try await bank.withRequest("/") {
            try await MessageContext.withPrincipal(Clerk()) {
                try await bank.dispatcher.dispatch(Deposit(account: "a", amount: 5))
            }
        }

        let response = await client.get("/api/messages")
        #expect(response.text.contains("anna") == false)
        let flow: Flow = try response.read()
        #expect(flow.entries.filter { $0.hidden?.contains("identifier") == true }.map(\.kind) == ["command"])
    }

    @Test func aHiddenValueSaysWhyAndHowToShowIt() async throws {
        let (bank, client) = try fixture(.typesOnly)
        try await bank.request(5)

        let flow: Flow = try await client.get("/api/messages").read()
        let log: Log = try await client.get("/api/log").read()

        #expect(flow.hints?.keys.sorted() == ["message"])
        let fix = "To show it, pass the type to 'InspectorConfiguration(showing:)'"
        #expect(flow.hints?["message"]?.contains(fix) == true)
        #expect(log.events.map(\.hidden) == [["storedMessage", "identifier"]])
        #expect(log.hints?.keys.sorted() == ["identifier", "storedMessage"])
    }

    @Test func nothingIsHiddenOfListedTypes() async throws {
        let (bank, client) = try fixture(
            Redaction(showing: PostRequest.self, Deposit.self, Deposited.self, LimitExceeded.self, Account.self)
        )
        try await bank.request(5, to: "a7")
        await #expect(throws: LimitExceeded.self) { try await bank.request(5_000) }

        let flow: Flow = try await client.get("/api/messages").read()
        let log: Log = try await client.get("/api/log").read()

        #expect(flow.entries.allSatisfy { $0.hidden == nil })
        #expect(flow.hints == nil)
        #expect(Set(flow.entries.compactMap(\.failure)) == ["LimitExceeded()"])
        #expect(log.hints == nil)
        #expect(log.events.map(\.payload) == [#"{"account":"a7","amount":5}"#])
        #expect(log.events.map(\.stream) == ["account a7"])
    }

    @Test func aRuleHasPriorityOverTheList() async throws {
        var redaction = Redaction(showing: Deposit.self)
        redaction.message = { ($0 as? Deposit).map { "\($0.amount) to an account" } }
        let (bank, client) = try fixture(redaction)
        try await bank.request(5)

        let flow: Flow = try await client.get("/api/messages").read()

        #expect(flow.entries.compactMap(\.payload) == ["5 to an account"])
    }

    @Test func theShortFormOfTheConfigurationShowsTheSame() {
        let configuration = InspectorConfiguration(showing: Deposit.self, Deposited.self)

        #expect(configuration.redaction.message(Deposit(account: "a", amount: 1)) == nil)
        #expect(configuration.capacity == InspectorConfiguration().capacity)
    }

    @Test func textsOfListedTypesAreTruncated() async throws {
        let bank = try BankFixture { configuration in
            configuration.redaction.show(GetBalance.self)
            configuration.textLimit = 10
        }
        _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))

        let flow: Flow = try await Client(InspectorRoutes(bank.inspector)).get("/api/messages").read()

        #expect(flow.entries.map(\.payload) == ["HeadraceIn…"])
    }
}
