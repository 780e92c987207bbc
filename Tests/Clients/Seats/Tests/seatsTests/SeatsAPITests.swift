// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Headrace
import HeadraceInspector
import Hummingbird
import Logging
import NIOEmbedded
import Testing

@testable import seats

@Suite(.timeLimit(.minutes(1))) struct SeatsAPITests {
    private let responder: any HTTPResponder<BasicRequestContext>
    private let signInPath: String

    init() throws {
        let inspector = Inspector()
        let container = try makeContainer(
            store: InMemoryStore(entities: entities),
            mailer: Mailer { _ in },
            inspector: inspector
        )
        var path = ""
        responder = makeRouter(container: container, inspector: inspector) { path = $0 }.buildResponder()
        signInPath = path
    }

    /// Returns the status of the response.
    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        key: String? = nil,
        body: String = ""
    ) async throws -> Int {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name("Idempotency-Key"), let key { fields[name] = key }
        let head = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1", path: path, headerFields: fields
        )
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "seats"))
        return try await responder.respond(to: request, context: BasicRequestContext(source: source)).status.code
    }

    @Test func aSeatIsReservedOnceForEachKey() async throws {
        let guest = #"{"guest": "Ada"}"#

        #expect(try await send(.post, "/seats/7/reservation", key: "1", body: guest) == 200)
        #expect(try await send(.post, "/seats/7/reservation", key: "1", body: guest) == 200)
        #expect(try await send(.post, "/seats/7/reservation", key: "2", body: guest) == 409)
        #expect(try await send(.post, "/seats/7/confirmation", body: guest) == 204)
        #expect(try await send(.get, "/seats") == 200)
    }

    @Test func aRequestWithoutAGuestIsRefused() async throws {
        #expect(try await send(.post, "/seats/7/reservation", body: "{}") == 400)
    }

    @Test func theInspectorNeedsItsToken() async throws {
        #expect(try await send(.get, "/inspector/") == 401)
        #expect(try await send(.get, signInPath) < 400)
    }

    @Test func theServerIsAliveButNotReadyWithoutItsRelay() async throws {
        #expect(try await send(.get, "/health/live") == 200)
        #expect(try await send(.get, "/health/ready") == 503)
    }
}
