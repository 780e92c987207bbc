// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceCore
import HeadraceInspector
import HeadraceTesting
import Synchronization
import Testing

/// Entries of the flow, their redaction, and the activity of the recorder.
@Suite(.timeLimit(.minutes(2))) struct FlowTests {
    private nonisolated(nonsending) func read(_ client: Client, _ query: String = "") async throws -> Flow {
        let response = await client.get("/api/messages\(query)")
        #expect(response.status == 200)
        return try response.read()
    }

    @Test func aRequestLeadsToItsCommandUnitOfWorkEventHandlersAndDeliveries() async throws {
        let bank = try BankFixture()
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")

        try await bank.request(5)
        try await bank.deliver(1)

        let flow = try await read(client)
        #expect(
            flow.tree == [
                "request PostRequest",
                "  command Deposit",
                "    unit of work",
                "      event Deposited",
                "        handler CheckLimit",
                "      commit",
                "    event Deposited",
                "      unit of work",
                "        handler MailStatement",
                "        commit",
            ]
        )
        #expect(flow.entries.compactMap(\.note) == ["to statements, attempt 1"])
        #expect(flow.entries.compactMap(\.attempt) == [1])
        #expect(flow.entries.allSatisfy { $0.payload == nil && $0.duration != nil && $0.outcome == "success" })
    }

    @Test func aFailureIsShownAtEachEntryThatItPasses() async throws {
        let bank = try BankFixture()
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")

        await #expect(throws: LimitExceeded.self) { try await bank.request(5_000) }

        let code = String(reflecting: LimitExceeded.self)
        #expect(
            try await read(client).tree == [
                "request PostRequest: \(code)",
                "  command Deposit: \(code)",
                "    unit of work: \(code)",
                "      event Deposited: \(code)",
                "        handler CheckLimit: \(code)",
            ]
        )
    }

    @Test func anEntryInProgressHasNoOutcome() async throws {
        let bank = try BankFixture()
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")

        try await bank.withRequest("/") {
            bank.clock.advance(by: .seconds(2))
            let tree = try await read(client).tree
            #expect(tree == ["request PostRequest …"])
        }

        let entry = try #require(try await read(client).entries.first)
        #expect(entry.duration == 2_000)
        #expect(entry.began == BankFixture.epoch.timeIntervalSince1970 * 1_000)
    }

    @Test func aRequestWithARevisionReturnsOnlyLaterChanges() async throws {
        let bank = try BankFixture()
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")
        try await bank.request(1)
        let first = try await read(client)

        _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))

        let second = try await read(client, "?after=\(first.revision)")
        #expect(second.entries.map(\.kind) == ["query"])
        #expect(try await read(client, "?after=\(second.revision)").entries.isEmpty)
    }

    @Test func aSearchFindsTypesAndOutcomesIgnoringCase() async throws {
        let bank = try BankFixture()
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")
        try await bank.request(1)
        _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))

        #expect(try await read(client, "?search=getbal").entries.map(\.kind) == ["query"])
        #expect(try await read(client, "?search=no+such+thing").entries.isEmpty)
        #expect(try await read(client, "?search=COMMIT&limit=1").entries.map(\.kind) == ["commit"])
    }

    @Test(arguments: [
        ("kind=commit", 1), ("kind=COMMIT", 0), ("type=deposit", 4), ("type=deposit&kind=command", 2),
        ("failures=true", 5), ("failures=false&kind=query", 1), ("least=2000", 1), ("least=2000.5", 0),
        ("least=1999&kind=query", 0), ("search=limit&failures=true", 5), ("kind=&type=&least=", 13),
    ])
    func filtersApplyToTheWholeHistory(query: String, count: Int) async throws {
        let bank = try BankFixture()
        let client = Client(InspectorRoutes(bank.inspector))
        try await bank.request(1)
        await #expect(throws: LimitExceeded.self) { try await bank.request(5_000) }
        try await bank.withRequest("/") { bank.clock.advance(by: .seconds(2)) }
        _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))

        #expect(try await read(client, "?\(query)").entries.count == count)
    }

    @Test func aChainIsSelectedByItsCorrelation() async throws {
        let bank = try BankFixture()
        let client = Client(InspectorRoutes(bank.inspector))
        try await bank.request(1)
        try await bank.request(2)
        let all = try await read(client).entries
        let chain = try #require(all.last?.correlation)

        let found = try await read(client, "?chain=\(chain)").entries

        #expect(found.count == 6)
        #expect(found.allSatisfy { $0.correlation == chain })
        #expect(try await read(client, "?chain=\(UUID())").entries.isEmpty)
    }

    @Test(arguments: ["least=-1", "least=x", "chain=7", "failures=yes", "kind=\(String(repeating: "k", count: 201))"])
    func aMalformedFilterIsRefused(query: String) async throws {
        let bank = try BankFixture()

        let response = await Client(InspectorRoutes(bank.inspector)).get("/api/messages?\(query)")

        #expect(response.status == 400)
    }

    // MARK: Redaction

    @Test func theContentOfMessagesIsHiddenByDefault() async throws {
        let bank = try BankFixture()
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")
        await #expect(throws: LimitExceeded.self) { try await bank.request(98_765, to: "s3cret") }
        try await bank.request(13, to: "s3cret")
        try await bank.deliver(1)

        for path in ["messages", "log", "dead-letters", "deliveries", "subscriptions", "graphs"] {
            let response = await client.get("/api/\(path)")
            #expect(response.status == 200)
            #expect(response.text.contains("s3cret") == false, "\(path)")
            #expect(response.text.contains("98765") == false, "\(path)")
            #expect(response.text.contains("mailbox") == false, "\(path)")
        }
    }

    @Test func aRuleShowsOnlyTheTextThatItReturns() async throws {
        let bank = try BankFixture { configuration in
            configuration.redaction.message = { ($0 as? Deposit).map { "\($0.amount) to an account" } }
            configuration.redaction.failure = { $0 }
        }
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")

        await #expect(throws: LimitExceeded.self) { try await bank.request(5_000, to: "s3cret") }

        let flow = try await read(client)
        #expect(flow.entries.compactMap(\.payload) == ["5000 to an account"])
        #expect(Set(flow.entries.compactMap(\.failure)) == ["LimitExceeded()"])
    }

    @Test func aLongTextIsTruncatedBetweenTwoCharacters() async throws {
        let bank = try BankFixture { configuration in
            configuration.textLimit = 11
            configuration.redaction.message = { _ in String(repeating: "äöü", count: 1_000) }
        }
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")

        _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))

        #expect(try await read(client).entries.map(\.payload) == ["äöüäö…"])
    }

    // MARK: Activity

    @Test func withoutRetentionAnUnusedInspectorRecordsNothingAndAppliesNoRule() async throws {
        let calls = Mutex(0)
        let bank = try BankFixture { configuration in
            configuration.retention = .zero
            configuration.redaction.message = { _ in
                calls.withLock { $0 += 1 }
                return nil
            }
        }

        #expect(bank.inspector.observer.isListening == false)
        try await bank.request(1)

        #expect(calls.withLock(\.self) == 0)
        let client = Client(InspectorRoutes(bank.inspector))
        #expect(try await read(client).entries.isEmpty)
        #expect(bank.inspector.observer.isListening)
    }

    @Test func recordingStopsAfterTheWindowAndResumesWithTheNextRequest() async throws {
        let bank = try BankFixture { configuration in
            configuration.window = .seconds(10)
            configuration.retention = .zero
        }
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")

        bank.clock.advance(by: .seconds(10))
        _ = try await bank.dispatcher.dispatch(GetBalance(account: "kept"))
        bank.clock.advance(by: .milliseconds(1))
        _ = try await bank.dispatcher.dispatch(GetBalance(account: "not kept"))

        #expect(bank.inspector.observer.isListening == false)
        #expect(try await read(client).entries.count == 1)
        _ = try await bank.dispatcher.dispatch(GetBalance(account: "kept"))
        #expect(try await read(client).entries.count == 2)
    }

    @Test func anEntryInProgressIsCompletedAfterTheWindow() async throws {
        let bank = try BankFixture { configuration in
            configuration.window = .seconds(10)
            configuration.retention = .zero
        }
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")

        try await bank.withRequest("/") {
            bank.clock.advance(by: .seconds(60))
            _ = try await bank.dispatcher.dispatch(GetBalance(account: "not kept"))
        }

        #expect(bank.inspector.observer.isListening == false)
        #expect(try await read(client).tree == ["request PostRequest"])
    }

    // MARK: Concurrency

    @Test func concurrentWritersLoseNoEntryAndKeepTheCapacity() async throws {
        let bank = try BankFixture { $0.capacity = 64 }
        let client = Client(InspectorRoutes(bank.inspector))
        _ = await client.get("/api/overview")

        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        try await bank.withRequest("/") {
                            _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))
                        }
                    }
                }
            }
            group.addTask {
                for _ in 0..<50 {
                    let flow = try await read(client)
                    #expect(flow.entries.count <= 64)
                }
            }
            try await group.waitForAll()
        }

        let flow = try await read(client)
        #expect(flow.entries.count == 64)
        #expect(flow.first == 8 * 200 * 2 - 63)
        #expect(Set(flow.entries.map(\.number)) == Set(flow.first...8 * 200 * 2))
        #expect(flow.entries.allSatisfy { $0.outcome == "success" })
        // The entry of a parent may have been removed before its child came.
        let parents = flow.entries.filter { $0.kind == "query" }.compactMap(\.parent).filter { $0 >= flow.first }
        #expect(!parents.isEmpty)
        for parent in parents {
            #expect(flow.entries.first { $0.number == parent }?.kind == "request")
        }
        let rates = await client.get("/api/rates")
        struct Rates: Decodable {
            struct Point: Decodable { let counts: [Int] }
            let points: [Point]
        }
        let counts = try rates.read(Rates.self).points.map(\.counts)
        let total = counts.reduce(0) { $0 + $1.reduce(0, +) }
        #expect(total == 8 * 200 * 2)
    }
}
