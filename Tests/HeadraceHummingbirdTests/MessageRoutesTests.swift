// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import HeadraceHummingbird
import HeadraceTesting
import Hummingbird
import Testing

@Suite(.timeLimit(.minutes(2))) struct MessageRoutesTests {
    private let id = "0199C0C0-0000-7000-8000-000000000001"

    @Test func aCommandIsDecodedFromItsBodyAndAnswers204() async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(
            .post, "/reservations", #"{"id": "\#(id)", "seat": 4, "name": "Ada", "until": "2026-01-31T12:00:00Z"}"#)

        #expect(answer.status == 204)
        #expect(answer.text.isEmpty)
        #expect(booking.seats.taken == [4])
    }

    @Test(arguments: [
        (HTTPRequest.Method.post, 200, "1", nil), (.put, 201, "1", "/seats/1"), (.patch, 202, "1", nil),
        (.delete, 204, "", nil),
    ])
    func aResultOfACommandIsTheBodyUnlessThereIsNoContent(
        method: HTTPRequest.Method,
        status: Int,
        text: String,
        location: String?
    ) async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(method, "/any", #"{"id": "\#(id)"}"#)

        #expect(answer.status == status)
        #expect(answer.text == text)
        #expect(answer.headers[.location] == location)
        #expect(booking.seats.taken == [1])
    }

    @Test func aParameterOfThePathIsAMemberOfTheCommandAndWinsOverTheBody() async throws {
        let booking = try Booking()
        booking.addRoutes()
        let other = UUID()

        let answer = try await booking.router.client.send(
            .put, "/reservations/\(id)", #"{"id": "\#(other)", "seat": 4, "name": "Ada"}"#)

        #expect(answer.status == 201)
        #expect(answer.headers[.location] == "/reservations/\(id)")
    }

    @Test func aQueryIsDecodedFromPathAndQueryAndAnswersItsValue() async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(
            .get, "/rows/3?tag=a+b&tag=%C3%A9&row=9", headers: [.authorization: "ada"])

        #expect(answer.status == 200)
        #expect(answer.headers[.contentType] == "application/json; charset=utf-8")
        #expect(
            try answer.decoded() == SeatsLeft.Value(row: 3, tags: ["a b", "é"], left: 10, principal: "ada"))
    }

    @Test func aMissingValueAnswers404() async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(.get, "/reservations/\(id)")

        #expect(answer.status == 404)
        #expect(try answer.decoded(as: ProblemBody.self).code == "notFound")
    }

    @Test(arguments: [
        ("{", "", "isn't well-formed"),
        (#"{"seat": 4, "name": "Ada"}"#, "id", "is missing"),
        (
            #"{"id": "0199C0C0-0000-7000-8000-000000000001", "seat": "four", "name": "Ada"}"#, "seat",
            "has the wrong type"
        ),
        (String(repeating: "[", count: 100_000), "", "isn't well-formed"),
    ])
    func aBodyThatCannotBeDecodedAnswers400WithItsField(body: String, path: String, text: String) async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(.post, "/reservations", body)

        #expect(answer.status == 400)
        let problem = try answer.decoded(as: ProblemBody.self)
        #expect(problem.code == "malformed")
        #expect(problem.failures == [ProblemBody.Failure(path: path, text: text)])
    }

    @Test(arguments: [
        ("/rows/x", "row", "must be a whole number from -9223372036854775808 to 9223372036854775807"),
        ("/reservations/7", "id", "must be a UUID"),
        ("/seats", "count", "is missing"),
        ("/seats?count=1&count=2", "count", "occurs more than once"),
    ])
    func aParameterThatCannotBeDecodedAnswers400WithItsName(target: String, path: String, text: String) async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(.get, target)

        #expect(answer.status == 400)
        #expect(try answer.decoded(as: ProblemBody.self).failures == [ProblemBody.Failure(path: path, text: text)])
    }

    @Test func anInvalidCommandAnswers422WithAllFailures() async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(
            .post, "/reservations", #"{"id": "\#(id)", "seat": 0, "name": ""}"#)

        #expect(answer.status == 422)
        #expect(answer.headers[.contentType] == "application/problem+json")
        #expect(
            try answer.decoded(as: ProblemBody.self).failures == [
                ProblemBody.Failure(path: "seat", text: "must be positive"),
                ProblemBody.Failure(path: "name", text: "must not be empty"),
            ])
        #expect(booking.seats.taken == [])
    }

    @Test func aBodyThatIsTooLongAnswers413() async throws {
        let booking = try Booking()
        var limits = RequestLimits()
        limits.bodyLength = 10
        booking.addRoutes(limits: limits)

        let answer = try await booking.router.client.send(.post, "/reservations", #"{"seat": 123456}"#)

        #expect(answer.status == 413)
        #expect(try answer.decoded(as: ProblemBody.self).code == "tooLarge")
    }

    @Test func aBodyThatIsNoJSONAnswers415() async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(
            .post, "/reservations", "{}", headers: [.contentType: "text/plain"])

        #expect(answer.status == 415)
    }

    @Test func tooManyParametersAnswer400() async throws {
        let booking = try Booking()
        var limits = RequestLimits()
        limits.parameterCount = 2
        booking.addRoutes(limits: limits)

        let answer = try await booking.router.client.send(.get, "/rows/1?a=1&b=2&c=3")

        #expect(answer.status == 400)
    }

    @Test func aBodyThatArrivesTooSlowlyAnswers408() async throws {
        let booking = try Booking()
        let clock = TestClock()
        booking.addRoutes(clock: clock)

        try await LiveServer.with(booking.router) { port in
            let text = try await Connection.with(port: port) { reading, writing in
                try await writing.send(
                    "POST /reservations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 9\r\n\r\n{")
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(30))
                return try await reading.text(upTo: "}")
            }
            #expect(text?.hasPrefix("HTTP/1.1 408 ") == true)
        }
    }

    @Test func aStreamQueryAnswersServerSentEvents() async throws {
        let booking = try Booking()
        booking.addRoutes()

        let text = try await LiveServer.with(booking.router) { port in
            try await Connection.with(port: port) { reading, writing in
                try await writing.send("GET /seats?count=2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return String(decoding: try await reading.all(), as: UTF8.self)
            }
        }

        #expect(text.contains("text/event-stream"))
        #expect(text.contains("data: 1\n\n"))
        #expect(text.contains("data: 2\n\n"))
    }

    @Test func aStreamThatFailsEndsWithAProblem() async throws {
        let booking = try Booking()
        booking.addRoutes()

        let text = try await LiveServer.with(booking.router) { port in
            try await Connection.with(port: port) { reading, writing in
                try await writing.send(
                    "GET /seats?count=9&failsAfter=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return String(decoding: try await reading.all(), as: UTF8.self)
            }
        }

        #expect(text.contains("data: 1\n\n"))
        #expect(text.contains("event: problem\ndata: {\"code\":\"taken\""))
    }

    @Test func furtherStreamsAnswer503() async throws {
        let booking = try Booking()
        var limits = RequestLimits()
        limits.streamCount = 0
        booking.addRoutes(limits: limits)

        let answer = try await booking.router.client.send(.get, "/seats?count=1")

        #expect(answer.status == 503)
        #expect(answer.headers[.retryAfter] == "10")
    }

    // MARK: Requests that differ from their messages

    private struct Row: Decodable {
        let number: Int
        let tag: String?
    }

    private struct Booked: Decodable {
        let id: UUID
        let place: Int
    }

    /// The routes of a service that calls a row a number, and a seat a place.
    private func renamed() throws -> (booking: Booking, client: Client<RouterResponder<BasicRequestContext>>) {
        let booking = try Booking()
        booking.router.add(middleware: RequestMiddleware(booking.configuration))
        let messages = booking.router.messages(of: booking.container)
        messages.get("first", query: SeatsLeft(row: 1)) { ["left": $0.left] }
        messages.get("numbers/{number}", from: Row.self) {
            guard $0.number > 0 else { throw Problem(.notFound, code: "noRow", "There is no such row.") }
            return SeatsLeft(row: $0.number, tag: $0.tag.map { [$0] })
        } answer: { value, row in
            ["row \(row.number)", "left \(value.left)"] + value.tags
        }
        messages.on("places/{id}", method: .put, from: Booked.self) {
            ReserveSeat(id: $0.id, seat: $0.place, name: "Ada")
        } answer: { _, booked in
            EditedResponse(status: .created, headers: [.location: "/places/\(booked.id)"], response: "\(booked.place)")
        }
        return (booking, booking.router.client)
    }

    @Test func aRouteMakesItsQueryAndItsResponse() async throws {
        let client = try renamed().client

        let first = try await client.send(.get, "/first")
        let row = try await client.send(.get, "/numbers/3?tag=aisle")

        #expect(first.text == #"{"left":10}"#)
        #expect(first.headers[.cacheControl] == "no-store")
        #expect(first.headers[.xContentTypeOptions] == "nosniff")
        #expect(try row.decoded(as: [String].self) == ["row 3", "left 10", "aisle"])
        #expect(try await client.send(.get, "/numbers/0").status == 404)
        #expect(try await client.send(.get, "/numbers/x").status == 400)
        #expect(try await client.send(.get, "/numbers/3?tag=a&tag=b").status == 400)
    }

    @Test func aRouteMakesItsCommandAndItsResponse() async throws {
        let (booking, client) = try renamed()

        let answer = try await client.send(.put, "/places/\(id)", #"{"place": 4}"#)

        #expect(answer.status == 201)
        #expect(answer.headers[.location] == "/places/\(id)")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.text == "4")
        #expect(booking.seats.taken == [4])
        #expect(try await client.send(.put, "/places/\(id)", #"{"place": 4}"#).status == 409)
        #expect(try await client.send(.put, "/places/\(id)", #"{"place": 0}"#).status == 422)
        #expect(try await client.send(.put, "/places/\(id)", "{}").status == 400)
        #expect(try await client.send(.put, "/places/x", #"{"place": 4}"#).status == 400)
    }
}
#endif
