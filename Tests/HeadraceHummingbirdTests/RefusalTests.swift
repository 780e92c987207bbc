// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import HeadraceHummingbird
import Hummingbird
import NIOCore
import Testing

/// Requests that no handler receives.
@Suite(.timeLimit(.minutes(2))) struct RefusalTests {
    private static func client(
        guarded: Bool = false
    ) throws -> Client<RouterResponder<BasicRequestContext>> {
        let booking = try Booking()
        if guarded {
            booking.router.add(middleware: RequestMiddleware(booking.configuration))
            booking.router.add(
                middleware: HostGuardMiddleware<BasicRequestContext>(origins: ["https://shop.example"]))
        }
        booking.addRoutes()
        booking.router.refuseOtherMethods()
        return booking.router.client
    }

    @Test func anotherMethodIsRefusedWithTheMethodsOfThePath() async throws {
        let client = try Self.client()

        let answer = try await client.send(.delete, "/rows/1")

        #expect(answer.status == 405)
        #expect(answer.headers[.allow] == "GET, HEAD")
        #expect(try answer.decoded(as: ProblemBody.self).code == "methodNotAllowed")
        #expect(try await client.send(.delete, "/nowhere").status == 404)
        #expect(try await client.send(.get, "/rows/1").status == 200)
    }

    @Test func anUnknownParameterIsRefused() async throws {
        let client = try Self.client()

        let answer = try await client.send(.get, "/rows/1?tag=a&tga=b")

        #expect(answer.status == 400)
        #expect(answer.text.contains("'tga'"))
        #expect(try await client.send(.get, "/rows/1?tag=a").status == 200)
        let body = #"{"id": "\#(UUID())", "seat": 1, "name": "Ada"}"#
        #expect(try await client.send(.post, "/reservations?dry=true", body).status == 400)
        #expect(try await client.send(.post, "/reservations", body).status < 300)
    }

    @Test func aCompressedBodyIsRefused() async throws {
        let client = try Self.client()
        let body = #"{"id": "\#(UUID())", "seat": 1, "name": "Ada"}"#

        for (encoding, isRefused) in [("gzip", true), ("identity, br", true), ("identity", false)] {
            let answer = try await client.send(.post, "/reservations", body, headers: [.contentEncoding: encoding])
            #expect((answer.status == 415) == isRefused, "\(encoding)")
        }
    }

    @Test func aConnectionThatIsResetIsNoFailureOfTheServer() async throws {
        let request = Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"),
            body: RequestBody(asyncSequence: BrokenBody()))

        let problem = await #expect(throws: Problem.self) {
            _ = try await request.collectedBody(upTo: 1_000, within: .seconds(60))
        }

        #expect(problem?.status == .badRequest)
        #expect(problem?.code == "incomplete")
    }

    @Test(
        arguments: [
            ("cross-site", "no-cors", nil, 403), ("cross-site", "navigate", nil, 200),
            ("same-origin", "cors", nil, 200),
            ("same-site", "no-cors", nil, 200), ("none", "navigate", nil, 200),
            ("cross-site", "cors", "https://shop.example", 200), ("cross-site", "cors", "https://evil.example", 403),
        ] as [(String, String, String?, Int)])
    func aPageOfAnotherSiteCanOnlyLink(site: String, mode: String, origin: String?, status: Int) async throws {
        let client = try Self.client(guarded: true)
        var headers: HTTPFields = [:]
        headers[try #require(HTTPField.Name("Sec-Fetch-Site"))] = site
        headers[try #require(HTTPField.Name("Sec-Fetch-Mode"))] = mode
        headers[.origin] = origin

        #expect(try await client.send(.get, "/rows/1", headers: headers).status == status)
    }
}

/// A body whose connection is reset.
private struct BrokenBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    func makeAsyncIterator() -> BrokenBody { self }

    mutating func next() async throws -> ByteBuffer? { throw IOError(errnoCode: ECONNRESET, reason: "read") }
}
#endif
