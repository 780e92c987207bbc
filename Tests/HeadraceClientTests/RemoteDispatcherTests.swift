// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct RemoteDispatcherTests {
    // MARK: Requests

    @Test func aCommandIsSentAsJSONWithAKeyAndItsPath() async throws {
        let transport = ScriptedTransport(.answer(204, ""))

        try await library(transport).dispatch(
            Lend(book: "Emma/1 ä", reader: "Ada", due: Date(timeIntervalSince1970: 0.25)))

        let sent = try #require(transport.sent.first)
        #expect(sent.head.method == .put)
        #expect(sent.head.scheme == "https")
        #expect(sent.head.authority == "library.example")
        #expect(sent.head.path == "/api/books/Emma%2F1%20%C3%A4/loan")
        #expect(sent.body == Data(#"{"book":"Emma/1 ä","due":"1970-01-01T00:00:00.250Z","reader":"Ada"}"#.utf8))
        #expect(sent.head.headerFields[.contentType] == "application/json")
        #expect(try #require(sent.head.headerFields[key]).count == 38)
    }

    @Test func aDurableCommandIsSentAsItIsStoredWithItsVersion() async throws {
        let transport = ScriptedTransport(.answer(204, ""))
        let order = Order(book: "Emma", until: Date(timeIntervalSince1970: 0.25))

        try await library(transport).dispatch(order)

        let sent = try #require(transport.sent.first)
        #expect(sent.head.headerFields[try #require(HTTPField.Name("Headrace-Version"))] == "2")
        #expect(sent.head.path == "/api/orders/1970-01-01T00%3A00%3A00.250Z")
        #expect(try sent.body == DocumentCoding.encode(order))
    }

    @Test func aQueryIsSentAsParametersWithoutBodyAndKey() async throws {
        let transport = ScriptedTransport(.answer(200, #"["Emma"]"#))

        let books = try await library(transport).dispatch(FindBooks(shelf: "A", tags: ["a&b", "c+d"], isOut: true))

        let sent = try #require(transport.sent.first)
        #expect(books == ["Emma"])
        #expect(sent.head.path == "/api/shelves/A/books?isOut=true&tags=a%26b&tags=c%2Bd&weight=0.1")
        #expect(sent.body == nil)
        #expect(sent.head.headerFields[key] == nil)
    }

    @Test(arguments: ["", ".", ".."])
    func aValueThatWouldChangeThePathIsRefusedBeforeItIsSent(book: String) async throws {
        let transport = ScriptedTransport()

        await #expect(throws: EncodingError.self) {
            try await library(transport).dispatch(Lend(book: book, reader: "Ada"))
        }

        #expect(transport.sent.isEmpty)
    }

    @Test(arguments: [-62_135_596_801, 253_402_300_800, .infinity, .nan])
    func aTimeThatHasNoTextIsRefusedBeforeItIsSent(seconds: Double) async throws {
        let transport = ScriptedTransport()

        await #expect(throws: EncodingError.self) {
            try await library(transport).dispatch(
                Lend(book: "Emma", reader: "Ada", due: Date(timeIntervalSince1970: seconds)))
        }

        #expect(transport.sent.isEmpty)
    }

    @Test func aMessageTravelsWithItsCauseItsTimeAndTheToken() async throws {
        let transport = ScriptedTransport(.answer(204, ""))
        let clock = TestClock()
        let remote = try library(transport) {
            $0.token = { "secret" }
            $0.timeLimit = .seconds(2.5)
            $0.clock = clock
        }

        let cause = try await withRootMessage(Tap()) { _ in
            try await remote.dispatch(Lend(book: "Emma", reader: "Ada"))
            return try #require(MessageContext.current).id
        }

        let fields = try #require(transport.sent.first).head.headerFields
        #expect(fields[.authorization] == "Bearer secret")
        #expect(fields[try #require(HTTPField.Name("Headrace-Correlation"))] == cause.uuidString.lowercased())
        #expect(fields[try #require(HTTPField.Name("Headrace-Cause"))] != nil)
        #expect(fields[try #require(HTTPField.Name("Headrace-Time-Limit"))] == "2.5")
    }

    @Test func aMessageWithoutARouteIsRefused() async throws {
        let error = await #expect(throws: DispatchError.self) {
            try await library(ScriptedTransport()).dispatch(Burn())
        }

        #expect(error?.code == .noHandler)
    }

    // MARK: Answers

    @Test func aResultIsDecodedAlsoIfItIsNil() async throws {
        let transport = ScriptedTransport(.answer(200, "7"), .answer(200, "null"))
        let remote = try library(transport)

        #expect(try await remote.dispatch(Register(name: "Ada")) == 7)
        #expect(try await remote.dispatch(Register(name: "Ada")) == nil)
    }

    @Test func aDeclaredErrorArrivesAsItWasThrown() async throws {
        let transport = ScriptedTransport(
            .answer(
                409, #"{"code": "isOut", "error": {"type": "LoanError", "value": {"code": "isOut", "reader": "Bob"}}}"#)
        )

        await #expect(throws: LoanError(code: .isOut, reader: "Bob")) {
            try await library(transport).dispatch(Lend(book: "Emma", reader: "Ada"))
        }
    }

    @Test(arguments: [#"{"type": "Other", "value": {}}"#, #"{"type": "LoanError", "value": 4}"#, "[]", "null"])
    func anErrorThatIsNotDeclaredIsARemoteErrorWithAllMembers(error: String) async throws {
        let transport = ScriptedTransport(
            .answer(
                422,
                #"{"code": "invalid", "detail": "No.", "instance": "urn:uuid:1", "failures": [{"path": "book", "text": "is lost"}], "error": \#(error)}"#
            ))

        let thrown = await #expect(throws: RemoteError.self) {
            try await library(transport).dispatch(Lend(book: "Emma", reader: "Ada"))
        }

        #expect(thrown?.code == "invalid")
        #expect(thrown?.message == "No.")
        #expect(thrown?.instance == "urn:uuid:1")
        #expect(thrown?.failures == [Validation.Failure(path: "book", text: "is lost")])
        #expect(thrown?.status == .unprocessableContent)
        #expect(thrown?.isRetryable == false)
        #expect(thrown?.mayHaveTakenEffect == false)
    }

    @Test(arguments: ["", "<html>", "{", #"{"a": 1}"#, "\u{0}", #""text"#, String(repeating: "[", count: 100_000)])
    func anAnswerThatIsNoneOfTheAPIIsATypedError(body: String) async throws {
        let error = await #expect(throws: RemoteError.self) {
            try await library(ScriptedTransport(.answer(200, body))).dispatch(FindBooks(shelf: "A"))
        }

        #expect(error?.code == "invalidResponse")
    }

    @Test(arguments: ["", "<html>", #"{"code": "noRoute"}"#])
    func aServerWithoutTheRouteIsNamedAsTheOlderSide(body: String) async throws {
        let error = await #expect(throws: RemoteError.self) {
            try await library(ScriptedTransport(.answer(404, body))).dispatch(FindBooks(shelf: "A"))
        }

        #expect(error?.code == "unknownRoute")
        #expect(error?.message.contains("GET /shelves/{shelf}/books") == true)
    }

    @Test func aLongAnswerIsRefused() async throws {
        let transport = ScriptedTransport(.answer(200, String(repeating: " ", count: 101)))

        let error = await #expect(throws: RemoteError.self) {
            try await library(transport) { $0.responseLength = 100 }.dispatch(FindBooks(shelf: "A"))
        }

        #expect(error?.code == "invalidResponse")
    }

    // MARK: Repetition

    @Test func aCommandIsRepeatedWithItsKeyUntilThereIsAnAnswer() async throws {
        let transport = ScriptedTransport(
            .failure(ScriptedTransport.Unreachable()), .answer(503, ""), .answer(409, #"{"code": "keyInUse"}"#),
            .answer(200, "7"))

        #expect(try await library(transport).dispatch(Register(name: "Ada")) == 7)

        let keys = transport.sent.map { $0.head.headerFields[key] }
        #expect(keys.count == 4)
        #expect(Set(keys).count == 1)
    }

    @Test func middlewareThatRetriesKeepsTheKey() async throws {
        let transport = ScriptedTransport(.answer(429, ""), .answer(200, "7"))
        let remote = try library(transport) {
            $0.middleware = [RetryMiddleware(backoff: Backoff(base: .zero))]
            $0.maximumAttempts = 1
        }

        #expect(try await remote.dispatch(Register(name: "Ada")) == 7)

        #expect(Set(transport.sent.map { $0.head.headerFields[key] }).count == 1)
    }

    @Test(arguments: [400, 401, 403, 409, 413, 422, 500])
    func anAnswerThatIsFinalIsNotAskedForAgain(status: Int) async throws {
        let transport = ScriptedTransport(.answer(status, "{}"), .answer(200, "7"))

        let error = await #expect(throws: RemoteError.self) {
            try await library(transport).dispatch(Register(name: "Ada"))
        }

        #expect(transport.sent.count == 1)
        #expect(error?.status?.code == status)
    }

    @Test func anUnknownOutcomeIsSaidAndTheCommandCanBeSentAgainWithItsKey() async throws {
        let transport = ScriptedTransport(.answer(502, ""), .answer(200, "7"))
        let remote = try library(transport) { $0.maximumAttempts = 1 }

        let error = await #expect(throws: RemoteError.self) {
            try await RemoteDispatcher.withKey("k1") { try await remote.dispatch(Register(name: "Ada")) }
        }
        #expect(error?.mayHaveTakenEffect == true)
        #expect(error?.isRetryable == false)

        #expect(try await RemoteDispatcher.withKey("k1") { try await remote.dispatch(Register(name: "Ada")) } == 7)
        #expect(transport.sent.map { $0.head.headerFields[key] } == ["\"k1\"", "\"k1\""])
    }

    @Test(arguments: [401, 422, 429])
    func aRefusalAfterALostAnswerLeavesTheOutcomeUnknown(status: Int) async throws {
        let transport = ScriptedTransport(.failure(ScriptedTransport.Unreachable()), .answer(status, "{}"))

        let error = await #expect(throws: RemoteError.self) {
            try await library(transport) { $0.maximumAttempts = 2 }.dispatch(Register(name: "Ada"))
        }

        #expect(error?.status?.code == status)
        #expect(error?.mayHaveTakenEffect == true)
        #expect(error?.isRetryable == false)
    }

    @Test func aPauseIsAsLongAsTheServerSays() async throws {
        let transport = ScriptedTransport(.answer(503, "", [.retryAfter: "7"]), .answer(200, "7"))
        let clock = TestClock()
        let remote = try library(transport) { $0.clock = clock }

        async let result = remote.dispatch(Register(name: "Ada"))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(6.9))
        #expect(transport.sent.count == 1)
        clock.advance(by: .seconds(0.2))

        #expect(try await result == 7)
    }

    @Test func aRepetitionAfterTheDeadlineIsNotTried() async throws {
        let transport = ScriptedTransport(.answer(503, #"{"code": "busy"}"#, [.retryAfter: "61"]), .answer(200, "7"))

        let error = await #expect(throws: RemoteError.self) {
            try await library(transport).dispatch(Register(name: "Ada"))
        }

        #expect(error?.code == "busy")
        #expect(error?.retryAfter == .seconds(61))
        #expect(transport.sent.count == 1)
    }

    @Test func aServerThatDoesNotAnswerEndsWithATimeout() async throws {
        let clock = TestClock()
        let remote = try library(ScriptedTransport(.silence)) { $0.clock = clock }

        let task = Task { try await remote.dispatch(Register(name: "Ada")) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(61))

        let error = await #expect(throws: RemoteError.self) { try await task.value }
        #expect(error?.code == "timedOut")
        #expect(error?.mayHaveTakenEffect == true)
    }

    @Test func aCancelledTaskCancelsItsRequest() async throws {
        let transport = ScriptedTransport(.silence, .answer(200, "7"))
        let remote = try library(transport)
        let task = Task { try await remote.dispatch(Register(name: "Ada")) }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.sent.count <= 1)
    }

    private let key = HTTPField.Name("Idempotency-Key") ?? .accept
}

private struct Tap: Sendable {}
#endif
