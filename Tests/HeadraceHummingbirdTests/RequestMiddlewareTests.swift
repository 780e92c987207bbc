// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceResilience
import HTTPTypes
import HeadraceCore
import HeadraceHummingbird
import HeadraceTesting
import Hummingbird
import InMemoryLogging
import Logging
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct RequestMiddlewareTests {
    private let reservation = #"{"id": "0199C0C0-0000-7000-8000-000000000001", "seat": 4, "name": "Ada"}"#

    /// Records the names and outcomes of messages.
    private final class Recorder: MessageObserver {
        let lines = Mutex<[String]>([])

        func messageBegan(_ context: MessageContext) {}
        func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
            lines.withLock { $0.append("\(context.kind) \(context.name): \(outcome.code)") }
        }
    }

    @Test func aRequestIsNamedAfterItsMethodAndItsRoute() async throws {
        var booking = try Booking()
        let recorder = Recorder()
        booking.configuration.observers = [recorder]
        booking.addRoutes()
        let client = booking.router.client

        _ = try await client.send(.put, "/reservations/0199C0C0-0000-7000-8000-000000000001", reservation)
        _ = try await client.send(.post, "/reservations", reservation)
        _ = try await client.send(.get, "/nowhere/17")

        #expect(
            recorder.lines.withLock(\.self) == [
                "request PUT /reservations/{id}: success", "request POST /reservations: taken",
                "request no route: Hummingbird.HTTPError",
            ])
    }

    @Test func aCodedErrorHasTheStatusOfTheTable() async throws {
        let booking = try Booking()
        booking.addRoutes()
        let client = booking.router.client
        _ = try await client.send(.post, "/reservations", reservation)

        let answer = try await client.send(.post, "/reservations", reservation)

        #expect(answer.status == 409)
        let problem = try answer.decoded(as: ProblemBody.self)
        #expect(problem.type == "about:blank")
        #expect(problem.title == "Conflict")
        #expect(problem.status == 409)
        #expect(problem.code == "taken")
        #expect(problem.detail == "The seat is taken. To fix, choose another seat.")
        #expect(problem.instance == nil)
    }

    @Test func anUnexpectedErrorIsLoggedWithTheIDThatTheClientReceives() async throws {
        let booking = try Booking()
        booking.addRoutes()
        let handler = InMemoryLogHandler()
        var client = booking.router.client
        client.logger = Logger(label: "test") { _ in handler }

        let answer = try await client.send(
            .post, "/reservations", reservation.replacing("Ada", with: "nobody"))

        #expect(answer.status == 500)
        #expect(!answer.text.contains("seat"))
        let problem = try answer.decoded(as: ProblemBody.self)
        #expect(problem.code == "internal")
        let entry = try #require(handler.entries.first)
        #expect(entry.level == .error)
        let id = try #require(entry.metadata["headrace.problem.id"])
        #expect(problem.instance == "urn:uuid:\(id)")
        #expect(entry.metadata["headrace.request"] == "POST /reservations")
    }

    @Test func eachRequestHasOneLogLineWithoutItsPathAndItsFields() async throws {
        var booking = try Booking()
        booking.configuration.logLevel = .notice
        booking.addRoutes()
        let handler = InMemoryLogHandler()
        var client = booking.router.client
        client.logger = Logger(label: "test") { _ in handler }
        client.logger[metadataKey: "hb.request.id"] = "17"
        let secret = "0199C0C0-0000-7000-8000-000000000001"

        _ = try await client.send(.put, "/reservations/\(secret)", reservation, headers: [.authorization: "ada"])
        _ = try await client.send(.put, "/reservations/\(secret)", reservation, headers: [.cookie: secret])
        _ = try await client.send(.get, "/nowhere/\(secret)?token=\(secret)")

        let lines = handler.entries.filter { $0.level == .notice }
        let messages = lines.map { "\($0.message)" }
        #expect(messages == ["PUT /reservations/{id} 201", "PUT /reservations/{id} 409", "no route 404"])
        #expect(lines.map { $0.metadata["headrace.principal"] } == ["ada", nil, nil])
        #expect(lines.allSatisfy { $0.metadata["headrace.duration"] != nil && $0.metadata["hb.request.id"] == "17" })
        #expect(!lines.contains { "\($0)".contains(secret) })
    }

    @Test(
        arguments: [
            (.zero, "0.000 ms"), (.microseconds(12), "0.012 ms"), (.microseconds(12_345_678), "12345.678 ms"),
        ] as [(Duration, String)])
    func theDurationOfALogLineHasOneForm(duration: Duration, text: String) async throws {
        let clock = TestClock()
        var booking = try Booking()
        booking.configuration.logLevel = .notice
        booking.configuration.clock = clock
        booking.configuration.principal = { _, _ in
            clock.advance(by: duration)
            return nil
        }
        booking.addRoutes()
        let handler = InMemoryLogHandler()
        var client = booking.router.client
        client.logger = Logger(label: "test") { _ in handler }

        _ = try await client.send(.get, "/rows/1")

        #expect(handler.entries.compactMap { $0.metadata["headrace.duration"]?.description } == [text])
    }

    @Test func aRequestThatFailsBeforeItsRouteHasALogLineToo() async throws {
        var booking = try Booking()
        booking.configuration.logLevel = .info
        booking.configuration.principal = { _, _ in throw Problem(.unauthorized, code: "who", "Who are you?") }
        booking.addRoutes()
        let handler = InMemoryLogHandler()
        var client = booking.router.client
        client.logger = Logger(label: "test") { _ in handler }

        _ = try await client.send(.get, "/rows/1")

        #expect(handler.entries.map { "\($0.message)" } == ["GET /rows/{row} 401"])
    }

    @Test func withoutALevelNoRequestIsLogged() async throws {
        let booking = try Booking()
        booking.addRoutes()
        let handler = InMemoryLogHandler()
        var client = booking.router.client
        client.logger = Logger(label: "test") { _ in handler }
        client.logger.logLevel = .trace

        _ = try await client.send(.get, "/rows/1")

        #expect(handler.entries.isEmpty)
    }

    @Test func aMissingRouteAnswersAProblem() async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(.get, "/nowhere")

        #expect(answer.status == 404)
        #expect(answer.headers[.contentType] == "application/problem+json")
    }

    @Test func aRequestWithoutTimeIsRefusedWith504() async throws {
        var booking = try Booking()
        booking.configuration.timeLimitField = HTTPField.Name("Request-Timeout")
        booking.addRoutes()
        let name = try #require(HTTPField.Name("Request-Timeout"))
        let client = booking.router.client

        let late = try await client.send(.get, "/rows/1", headers: [name: "0"])
        let malformed = try await client.send(.get, "/rows/1", headers: [name: "soon"])
        let inTime = try await client.send(.get, "/rows/1", headers: [name: "60.5"])

        #expect(late.status == 504)
        #expect(malformed.status == 400)
        #expect(inTime.status == 200)
    }

    @Test(
        arguments: [
            ("localhost", nil, 200), ("127.0.0.1:8080", nil, 200), ("[::1]:80", nil, 200), ("shop.example", nil, 200),
            ("evil.example", nil, 403), ("", nil, 403), ("localhost", "http://localhost", 200),
            ("localhost", "http://evil.example", 403), ("localhost", "null", 403),
            ("localhost", "https://partner.example", 200), ("localhost:80", "http://localhost", 403),
            ("[2001:db8::1]:8080", nil, 200), ("[2001:DB8::1]", nil, 200), ("[2001:db8::2]", nil, 200),
            ("[2001:db8::3]", nil, 403), ("[2001:db8::1]:80", "http://[2001:db8::1]:80", 200),
        ] as [(String, String?, Int)])
    func foreignHostsAndOriginsAreRefused(host: String, origin: String?, status: Int) async throws {
        let booking = try Booking()
        booking.addRoutes(middleware: [
            HostGuardMiddleware(
                hosts: ["shop.example", "2001:db8::1", "[2001:db8::2]"], origins: ["https://partner.example"])
        ])
        var headers: HTTPFields = [:]
        headers[.origin] = origin

        let answer = try await booking.router.client.send(.get, "/rows/1", headers: headers, authority: host)

        #expect(answer.status == status)
    }

    @Test func moreRequestsThanTheLimitAnswer503UntilOneEnds() async throws {
        let booking = try Booking()
        booking.addRoutes(middleware: [ConcurrencyLimitMiddleware(1, retryAfter: .milliseconds(1_500))])
        let client = booking.router.client

        async let slow = client.send(.post, "/reservations", reservation.replacing("4,", with: "99,"))
        await booking.seats.gate.arrivals(1)
        let refused = try await client.send(.get, "/rows/1")
        booking.seats.gate.open()
        let first = try await slow
        let later = try await client.send(.get, "/rows/1")
        let last = try await client.send(.get, "/rows/1")

        #expect(refused.status == 503)
        #expect(refused.headers[.retryAfter] == "2")
        #expect(first.status == 204)
        #expect(later.status == 200)
        #expect(last.status == 200)
    }

    @Test func anOpenCircuitAndAFullCompartmentAnswer503() async throws {
        let clock = TestClock()
        let breaker = MiddlewareChain(
            middleware: [CircuitBreakerMiddleware(failures: 1, pause: .seconds(30), clock: clock)], clock: clock)
        let bulkhead = MiddlewareChain(middleware: [BulkheadMiddleware(1)])
        let (began, mayEnd) = (OneShot<Int>(), OneShot<Int>())
        let booking = try Booking()
        booking.addRoutes()
        booking.router.get("circuit") { _, _ in
            try await breaker.run(1, kind: .command) { _ -> String in throw BookingError(code: .taken) }
        }
        booking.router.get("compartment") { _, _ in try await bulkhead.run(1, kind: .command) { _ in "handled" } }
        let busy = Task {
            try await bulkhead.run(1, kind: .command) { _ in
                began.set(1)
                return try await mayEnd.wait()
            }
        }
        _ = try await began.wait()

        let failed = try await booking.router.client.send(.get, "/circuit")
        let refused = try await booking.router.client.send(.get, "/circuit")
        let full = try await booking.router.client.send(.get, "/compartment")
        mayEnd.set(1)
        _ = try await busy.value

        #expect(failed.status == 409)
        #expect(refused.status == 503)
        #expect(refused.headers[.retryAfter] == "30")
        #expect(full.status == 503)
        #expect(full.headers[.retryAfter] == "1")
    }
}
#endif
