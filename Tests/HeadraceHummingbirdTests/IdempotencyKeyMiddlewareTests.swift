// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import HeadraceHummingbird
import HeadraceTesting
import Hummingbird
import Testing

@Suite(.timeLimit(.minutes(2))) struct IdempotencyKeyMiddlewareTests {
    private func reservation(seat: Int) -> String {
        #"{"id": "0199C0C0-0000-7000-8000-000000000001", "seat": \#(seat), "name": "Ada"}"#
    }

    private func key(_ text: String, user: String? = nil) throws -> HTTPFields {
        var headers: HTTPFields = [try #require(HTTPField.Name("Idempotency-Key")): text]
        headers[.authorization] = user
        return headers
    }

    @Test func aRepeatedRequestReceivesTheFirstOutcome() async throws {
        let booking = try Booking()
        booking.addRoutes()
        let client = booking.router.client

        let first = try await client.send(.post, "/reservations", reservation(seat: 4), headers: try key("\"a\""))
        let second = try await client.send(.post, "/reservations", reservation(seat: 4), headers: try key("a"))
        let unkeyed = try await client.send(.post, "/reservations", reservation(seat: 4))

        #expect(first.status == 204)
        #expect(second.status == 204)
        #expect(unkeyed.status == 409)
    }

    @Test func aRepeatedRequestReceivesTheFirstResult() async throws {
        let booking = try Booking()
        booking.addRoutes()
        let client = booking.router.client
        let body = #"{"id": "0199C0C0-0000-7000-8000-000000000001"}"#

        let first = try await client.send(.post, "/any", body, headers: try key("a"))
        let second = try await client.send(.post, "/any", body, headers: try key("a"))
        let other = try await client.send(.post, "/any", body, headers: try key("b"))

        #expect([first.text, second.text, other.text] == ["1", "1", "2"])
        #expect(booking.seats.taken == [1, 2])
    }

    @Test func aKeyWithOtherContentAnswers422() async throws {
        let booking = try Booking()
        booking.addRoutes()
        let client = booking.router.client
        _ = try await client.send(.post, "/reservations", reservation(seat: 4), headers: try key("a"))

        let answer = try await client.send(.post, "/reservations", reservation(seat: 5), headers: try key("a"))

        #expect(answer.status == 422)
        #expect(try answer.decoded(as: ProblemBody.self).code == "keyUsed")
        #expect(booking.seats.taken == [4])
    }

    @Test func aRepetitionOfARequestThatIsUnderWayAnswers409() async throws {
        let booking = try Booking()
        booking.addRoutes()
        let client = booking.router.client
        let headers = try key("a")

        async let slow = client.send(.post, "/reservations", reservation(seat: 99), headers: headers)
        await booking.seats.gate.arrivals(1)
        let early = try await client.send(.post, "/reservations", reservation(seat: 99), headers: headers)
        booking.seats.gate.open()
        let first = try await slow
        let later = try await client.send(.post, "/reservations", reservation(seat: 99), headers: headers)

        #expect(early.status == 409)
        #expect(early.headers[.retryAfter] == "1")
        #expect(try early.decoded(as: ProblemBody.self).code == "keyInUse")
        #expect(first.status == 204)
        #expect(later.status == 204)
    }

    @Test func aRepetitionCanWaitForTheFirstRequest() async throws {
        let booking = try Booking()
        booking.router.add(middleware: RequestMiddleware(booking.configuration))
        booking.router.add(middleware: IdempotencyKeyMiddleware(waitsForFirst: true))
        booking.router.messages(of: booking.container).post("reservations", command: ReserveSeat.self)
        let client = booking.router.client
        let headers = try key("a")

        async let first = client.send(.post, "/reservations", reservation(seat: 99), headers: headers)
        await booking.seats.gate.arrivals(1)
        async let second = client.send(.post, "/reservations", reservation(seat: 99), headers: headers)
        booking.seats.gate.open()

        #expect(try await first.status == 204)
        #expect(try await second.status == 204)
        #expect(booking.seats.taken == [99])
    }

    @Test func theKeysOfDifferentPrincipalsAreDistinct() async throws {
        let booking = try Booking()
        booking.addRoutes()
        let client = booking.router.client

        let first = try await client.send(
            .post, "/reservations", reservation(seat: 4), headers: try key("a", user: "ada"))
        let second = try await client.send(
            .post, "/reservations", reservation(seat: 5), headers: try key("a", user: "bob"))

        #expect(first.status == 204)
        #expect(second.status == 204)
        #expect(booking.seats.taken == [4, 5])
    }

    @Test(arguments: ["", "\"\"", String(repeating: "k", count: 256)])
    func anInvalidKeyAnswers400(text: String) async throws {
        let booking = try Booking()
        booking.addRoutes()

        let answer = try await booking.router.client.send(
            .post, "/reservations", reservation(seat: 4), headers: try key(text))

        #expect(answer.status == 400)
        #expect(booking.seats.taken == [])
    }

    @Test func twoKeysOrAMissingRequiredKeyAnswer400() async throws {
        let booking = try Booking()
        booking.addRoutes(middleware: [IdempotencyKeyMiddleware(isRequired: true)])
        let client = booking.router.client
        var two = try key("a")
        two.append(HTTPField(name: try #require(HTTPField.Name("Idempotency-Key")), value: "b"))

        let twice = try await client.send(.post, "/reservations", reservation(seat: 4), headers: two)
        let missing = try await client.send(.post, "/reservations", reservation(seat: 4))
        let read = try await client.send(.get, "/rows/1")

        #expect(twice.status == 400)
        #expect(try missing.decoded(as: ProblemBody.self).code == "keyMissing")
        #expect(read.status == 200)
    }
}
#endif
