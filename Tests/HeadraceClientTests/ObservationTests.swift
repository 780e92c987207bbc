// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ObservationTests {
    private static let api = MessageAPI([
        .live("due/{book}", query: BooksDue.self, errors: [LoanError.self]),
        .get("shelves/{shelf}/books", query: FindBooks.self),
    ])

    private static let events: HTTPFields = [.contentType: "text/event-stream; charset=utf-8"]

    private func observe(
        _ transport: ScriptedTransport,
        clock: TestClock = TestClock()
    ) throws -> QueryStream<Int> {
        var configuration = RemoteDispatcher.Configuration()
        configuration.backoff = Backoff(base: .zero)
        configuration.clock = clock
        let remote = try RemoteDispatcher(Self.api, at: "http://localhost", through: transport, configuration)
        return remote.observe(BooksDue(book: "Emma"))
    }

    private func refusal(_ status: Int, _ code: String) -> ScriptedTransport.Step {
        .answer(status, #"{"title": "No", "status": \#(status), "detail": "No.", "code": "\#(code)"}"#)
    }

    @Test func valuesArriveInOrderAndAnEqualOneIsNotRepeated() async throws {
        let transport = ScriptedTransport(
            .answer(200, "id: 1\ndata: 4\n\n: still here\n\nid: 2\ndata: 4\n\nid: 3\ndata: 5\n\n", Self.events),
            refusal(403, "forbidden"))
        var values = try observe(transport).makeAsyncIterator()

        #expect(try await values.next() == 4)
        #expect(try await values.next() == 5)

        let sent = try #require(transport.sent.first)
        #expect(sent.head.path == "/due/Emma")
        #expect(sent.head.headerFields[.accept] == "text/event-stream")
        #expect(sent.body == nil)
    }

    @Test func nothingIsSentBeforeTheFirstValueIsAskedFor() throws {
        let transport = ScriptedTransport()

        _ = try observe(transport)

        #expect(transport.sent.isEmpty)
    }

    @Test func anEndedConnectionIsMadeAgainAfterTheLastEvent() async throws {
        let transport = ScriptedTransport(
            .failure(ScriptedTransport.Unreachable()), .answer(200, "id: a-1\ndata: 4\n\nid: a-2\nda", Self.events),
            refusal(503, "tooManyStreams"), .answer(200, "id: b-1\ndata: 4\n\n", Self.events),
            .answer(200, "id: b-2\ndata: 6\n\n", Self.events))
        var values = try observe(transport).makeAsyncIterator()

        #expect(try await values.next() == 4)
        #expect(try await values.next() == 6)

        let id = try #require(HTTPField.Name("Last-Event-ID"))
        #expect(transport.sent.map { $0.head.headerFields[id] } == [nil, nil, "a-1", "a-1", "b-1"])
    }

    @Test func aServerThatIsSilentIsLeft() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport(.silentEvents("id: 1\ndata: 4\n\n"), .answer(200, "data: 5\n\n", Self.events))
        var values = try observe(transport, clock: clock).makeAsyncIterator()
        #expect(try await values.next() == 4)

        async let waiting: Void = clock.waitForSleepers(1)
        async let next = values.next()
        await waiting
        clock.advance(by: .seconds(60))

        #expect(try await next == 5)
    }

    @Test func anErrorOfTheHandlerEndsTheObservation() async throws {
        let problem =
            #"{"title": "No", "status": 422, "detail": "No.", "code": "isOut", "error": {"type": "LoanError", "value": {"code": "isOut", "reader": "Ada"}}}"#
        let transport = ScriptedTransport(
            .answer(200, "data: 4\n\nevent: problem\ndata: \(problem)\n\n", Self.events))
        var values = try observe(transport).makeAsyncIterator()
        #expect(try await values.next() == 4)

        await #expect(throws: LoanError.self) { _ = try await values.next() }

        #expect(try await values.next() == nil)
        #expect(transport.sent.count == 1)
    }

    @Test(arguments: [401, 403, 404, 500])
    func aRefusalThatIsNotTemporaryEndsTheObservation(status: Int) async throws {
        let transport = ScriptedTransport(refusal(status, "no"))
        var values = try observe(transport).makeAsyncIterator()

        let error = await #expect(throws: RemoteError.self) { _ = try await values.next() }

        #expect(error?.status?.code == status)
        #expect(transport.sent.count == 1)
    }

    @Test func aServerWithoutEventsIsAnErrorAndNotAskedForever() async throws {
        let transport = ScriptedTransport(.answer(200, "4", [.contentType: "application/json"]))
        var values = try observe(transport).makeAsyncIterator()

        let error = await #expect(throws: RemoteError.self) { _ = try await values.next() }

        #expect(error?.code == "invalidResponse")
    }

    @Test func aValueThatIsTooLongEndsTheObservationAndIsNotAskedForAgain() async throws {
        let transport = ScriptedTransport(
            .answer(200, "data: \(String(repeating: "1", count: 2_000))\n\n", Self.events), refusal(403, "again"))
        var configuration = RemoteDispatcher.Configuration()
        configuration.responseLength = 1_000
        let remote = try RemoteDispatcher(Self.api, at: "http://localhost", through: transport, configuration)
        var values = remote.observe(BooksDue(book: "Emma")).makeAsyncIterator()

        let error = await #expect(throws: RemoteError.self) { _ = try await values.next() }

        #expect(error?.code == "invalidResponse")
        #expect(transport.sent.count == 1)
    }

    @Test func aQueryWhoseRouteIsNotLiveIsRefusedBeforeItIsSent() async throws {
        let transport = ScriptedTransport()
        let remote = try RemoteDispatcher(Self.api, at: "http://localhost", through: transport)
        var values = remote.observe(FindBooks(shelf: "a", isOut: false, weight: 1)).makeAsyncIterator()

        let error = await #expect(throws: DispatchError.self) { _ = try await values.next() }

        #expect(error?.message.contains(".live") == true)
        #expect(transport.sent.isEmpty)
    }

    @Test func whereverConnectionsAreCutNoValueIsOlderThanOneBeforeAndTheLastArrives() async throws {
        var numbers = SeededGenerator(seed: 7)
        for _ in 1...300 {
            // The server's value only grows. Each connection begins with the current one, and is cut at any byte.
            let last = Int.random(in: 1...30, using: &numbers)
            var (script, current): ([ScriptedTransport.Step], Int) = ([], 0)
            while current < last {
                let end = Int.random(in: current...last, using: &numbers)
                let text = (current...end).map { "id: \($0)\ndata: \($0)\n\n" }.joined()
                let cut = Int.random(in: 0...text.utf8.count, using: &numbers)
                script.append(.answer(200, String(decoding: text.utf8.prefix(cut), as: UTF8.self), Self.events))
                current = end
            }
            script += [.answer(200, "data: \(last)\n\n", Self.events), refusal(403, "over")]
            var values = try observe(ScriptedTransport(script)).makeAsyncIterator()
            var seen: [Int] = []

            await #expect(throws: RemoteError.self) {
                while let value = try await values.next() { seen.append(value) }
            }

            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }, "\(seen)")
            #expect(seen.last == last)
        }
    }
}
#endif
