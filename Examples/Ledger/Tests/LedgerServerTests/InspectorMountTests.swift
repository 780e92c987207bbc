//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Headrace
import Hummingbird
import LedgerServer
import NIOCore
import ServiceLifecycle
import Testing

/// The routes of an inspector in another application.
@Suite(.timeLimit(.minutes(5))) struct InspectorMountTests {
    private struct Graph: Decodable {
        struct Node: Decodable {
            let title: String
            let remarks: [String]
        }

        let name: String
        let nodes: [Node]
    }

    @Test func theInspectorShowsNoOpaqueHandler() async throws {
        let inspector = Inspector()
        let folder = try TestFolder()
        var configuration = LedgerServerConfiguration(database: folder.database)
        configuration.webhook = URL(string: "http://127.0.0.1:1/")
        let server = try LedgerServer(configuration, inspector: inspector)
        defer {
            try? server.store.close()
            withExtendedLifetime(folder) {}
        }
        let routes = InspectorRoutes(inspector)

        let answer = await routes.respond(
            to: InspectorRequest(
                method: "GET",
                target: "/api/graphs",
                headers: [("Host", "127.0.0.1:8080"), ("Authorization", "Bearer \(routes.bearerToken)")]
            )
        )

        guard case .data(let json) = answer.body else { throw CocoaError(.coderReadCorrupt) }
        let graphs = try JSONDecoder().decode([Graph].self, from: json)
        let nodes = try #require(graphs.first { $0.name == "Dependencies" }).nodes
        let titles = nodes.map(\.title)
        for title in ["PostTransactionHandler", "GetBalancesHandler", "FinishBooking", "SendWebhook", "Relay"] {
            #expect(titles.contains(title))
        }
        #expect(nodes.filter { $0.remarks.contains { $0.contains("opaque") } }.map(\.title) == [])
    }

    @Test func theRoutesOfAnInspectorWorkInAHummingbirdApplication() async throws {
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
                body: Data(body.readableBytesView)
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
        for path in ["/inspector", "/inspector/**"] {
            router.get(RouterPath(path)) { request, _ in try await inspect(request) }
        }
        let (ports, port) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }
        )

        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await application.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())

            let stranger = try await Self.get("/inspector/", port: port)
            let guest = try await Self.get(routes.signInPath, port: port)

            #expect(stranger.status == 401)
            #expect(guest.status == 303)
            #expect(guest.headers["set-cookie"]?.contains("HttpOnly") == true)
            tasks.cancelAll()
        }
    }

    private static func get(_ path: String, port: Int) async throws -> Answer {
        try await Connection.with(port: port) { reading, writing in
            try await writing.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
            return try Answer(try await reading.all())
        }
    }
}
