// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCommands
import HeadraceInspector
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct InspectorEventStreamTests {
    private let bank: BankFixture
    private let client: Client

    init() throws {
        bank = try BankFixture()
        client = Client(InspectorRoutes(bank.inspector))
    }

    private func flow(_ event: Data?) throws -> Flow {
        let text = String(decoding: try #require(event), as: UTF8.self)
        let prefix = "event: flow\ndata: "
        try #require(text.hasPrefix(prefix) && text.hasSuffix("\n\n"), "\(text)")
        #expect(text.dropLast(2).split(separator: "\n").count == 2)
        return try JSONDecoder().decode(Flow.self, from: Data(text.dropFirst(prefix.count).utf8))
    }

    @Test func changesArriveAsEvents() async throws {
        let response = await client.get("/api/events")
        #expect(response.headers["Content-Type"] == "text/event-stream")
        var events = try #require(response.stream).makeAsyncIterator()
        #expect(await events.next() == Data("retry: 1000\n\n".utf8))
        let rates = try #require(await events.next())
        #expect(String(decoding: rates, as: UTF8.self).hasPrefix("event: rates\ndata: {"))

        try await bank.request(1)
        let first = try flow(await events.next())
        #expect(first.entries.contains { $0.kind == "command" })

        async let next = events.next()
        await bank.clock.waitForSleepers(1)
        _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))
        bank.clock.advance(by: .milliseconds(200))
        #expect(try flow(await next).entries.map(\.kind) == ["query"])
    }

    @Test func aReconnectedClientReceivesTheMissedChanges() async throws {
        _ = await client.get("/api/overview")
        try await bank.request(1)
        let seen: Flow = try await client.get("/api/messages").read()
        _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))

        var events = try #require(await client.get("/api/events?after=\(seen.revision)").stream).makeAsyncIterator()
        _ = await events.next()

        #expect(try flow(await events.next()).entries.map(\.kind) == ["query"])
    }

    @Test func readingAStreamKeepsTheInspectorActive() async throws {
        var events = try #require(await client.get("/api/events").stream).makeAsyncIterator()
        _ = await events.next()
        _ = await events.next()
        for _ in 0..<200 {
            async let next = events.next()
            await bank.clock.waitForSleepers(1)
            bank.clock.advance(by: .seconds(1))
            #expect(String(decoding: try #require(await next), as: UTF8.self).hasPrefix("event: rates"))
        }

        _ = try await bank.dispatcher.dispatch(GetBalance(account: "a"))

        #expect(bank.inspector.observer.isListening)
        #expect(try flow(await events.next()).entries.count == 1)
    }

    @Test func cancellingTheReaderEndsTheStream() async throws {
        let stream = try #require(await client.get("/api/events").stream)
        let reading = Task {
            var count = 0
            for await _ in stream { count += 1 }
            return count
        }
        await bank.clock.waitForSleepers(1)

        reading.cancel()

        #expect(await reading.value == 2)
    }

    @Test func manyChangesArriveInSeveralEventsWithoutALoss() async throws {
        var events = try #require(await client.get("/api/events").stream).makeAsyncIterator()
        _ = await events.next()
        for _ in 0..<1_300 { _ = try await bank.dispatcher.dispatch(GetBalance(account: "a")) }

        var numbers: [Int] = []
        while numbers.count < 1_300 {
            let flow = try flow(await events.next())
            #expect(flow.entries.count <= 500)
            numbers += flow.entries.map(\.number)
        }

        #expect(numbers == Array(1...1_300))
    }
}
