//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Headrace
import Hummingbird
import HummingbirdTesting
import NIOCore
import ServiceLifecycle
import Testing

/// The routes of an inspector in an application of one's own.
@Suite(.timeLimit(.minutes(10))) struct InspectorMountTests {
    @Test func theRoutesOfAnInspectorAnswerWithinAnApplicationOfHummingbird() async throws {
        let inspector = Inspector()
        let routes = InspectorRoutes(inspector, basePath: "/inspector")

        @Sendable func inspect(_ request: Request) async throws -> Response {
            var request = request
            let body = try await request.collectBody(upTo: routes.limits.bodyLength + 1)
            var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
            headers.append((name: "Host", value: request.head.authority ?? ""))
            let asked = InspectorRequest(
                method: request.method.rawValue,
                target: request.uri.string,
                headers: headers,
                body: Data(buffer: body)
            )
            let answer = await routes.respond(to: asked)
            var fields = HTTPFields()
            for (name, value) in answer.headers {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
            }
            let content: ResponseBody =
                switch answer.body {
                case .data(let data): ResponseBody(byteBuffer: ByteBuffer(bytes: data))
                case .stream(let events):
                    ResponseBody(asyncSequence: events.map { ByteBuffer(bytes: $0) }.cancelOnGracefulShutdown())
                }
            return Response(status: .init(code: answer.status), headers: fields, body: content)
        }

        let router = Router()
        router.get("/inspector/**") { request, _ in try await inspect(request) }
        let application = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
        let entrance = routes.entrance

        try await application.test(.live) { client in
            let stranger = try await client.execute(uri: "/inspector/", method: .get)
            let guest = try await client.execute(uri: entrance, method: .get)

            #expect(stranger.status == .unauthorized)
            #expect(guest.status == .seeOther)
            #expect(guest.headers[.setCookie]?.contains("HttpOnly") == true)
        }
    }
}
