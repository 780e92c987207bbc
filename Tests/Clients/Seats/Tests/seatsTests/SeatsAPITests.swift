//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Headrace
import HeadraceInspector
import Hummingbird
import Logging
import NIOEmbedded
import Testing

@testable import seats

@Suite(.timeLimit(.minutes(1))) struct SeatsAPITests {
    private let inspector = Inspector()
    private let responder: any HTTPResponder<BasicRequestContext>
    private let routes: InspectorRoutes

    init() throws {
        let container = try makeContainer(
            store: InMemoryStore(entities: [Seat.self]),
            mailer: Mailer { _ in },
            inspector: inspector
        )
        routes = InspectorRoutes(inspector, basePath: "/inspector")
        responder = makeRouter(dispatcher: container.resolve(), inspector: routes).buildResponder()
    }

    /// Returns the status of the response.
    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        key: String? = nil,
        body: String = ""
    ) async throws -> Int {
        var fields = HTTPFields()
        if let name = HTTPField.Name("Idempotency-Key"), let key { fields[name] = key }
        let head = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1", path: path, headerFields: fields
        )
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: Logger(label: "seats"))
        do {
            return try await responder.respond(to: request, context: BasicRequestContext(source: source)).status.code
        } catch let error as any HTTPResponseError {
            return error.status.code
        }
    }

    @Test func aSeatIsReservedOnceForEachKey() async throws {
        let guest = #"{"guest": "Ada"}"#

        #expect(try await send(.post, "/seats/7/reservation", key: "1", body: guest) == 204)
        #expect(try await send(.post, "/seats/7/reservation", key: "1", body: guest) == 204)
        #expect(try await send(.post, "/seats/7/reservation", key: "2", body: guest) == 409)
        #expect(try await send(.post, "/seats/7/confirmation", body: guest) == 204)
        #expect(try await send(.get, "/seats") == 200)
    }

    @Test func theInspectorNeedsItsToken() async throws {
        #expect(try await send(.get, "/inspector/") == 401)
        #expect(try await send(.get, routes.signInPath) < 400)
    }
}
