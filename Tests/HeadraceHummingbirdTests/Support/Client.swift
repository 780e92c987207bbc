// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOEmbedded
import Synchronization

/// The answer to a request.
struct Answer {
    let status: Int
    let headers: HTTPFields
    let text: String

    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

/// The members of a problem.
struct ProblemBody: Decodable, Equatable {
    struct Failure: Decodable, Equatable {
        let path: String
        let text: String
    }

    let type: String
    let title: String
    let status: Int
    let detail: String
    let code: String
    let instance: String?
    let failures: [Failure]?
}

/// Sends requests to the routes of a router, without a connection.
struct Client<Responder: HTTPResponder>: Sendable where Responder.Context == BasicRequestContext {
    let responder: Responder
    var logger = Logger(label: "test")

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        headers: HTTPFields = [:],
        authority: String = "localhost"
    ) async throws -> Answer {
        var headers = headers
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        return try await send(
            HTTPRequest(method: method, scheme: "http", authority: authority, path: path, headerFields: headers),
            ByteBuffer(string: body ?? "")
        )
    }

    func send(_ head: HTTPRequest, _ body: ByteBuffer) async throws -> Answer {
        let request = Request(head: head, body: RequestBody(buffer: body))
        let context = BasicRequestContext(
            source: ApplicationRequestContextSource(channel: NIOAsyncTestingChannel(), logger: logger))
        let response = try await responder.respond(to: request, context: context)
        let writer = BodyWriter()
        try await response.body.write(writer)
        return Answer(status: response.status.code, headers: response.headers, text: writer.text)
    }
}

extension Router where Context == BasicRequestContext {
    var client: Client<RouterResponder<BasicRequestContext>> { Client(responder: buildResponder()) }
}

final class BodyWriter: ResponseBodyWriter, Sendable {
    private let bytes = Mutex(ByteBuffer())

    var text: String { bytes.withLock { String(buffer: $0) } }

    func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { bytes in
            var buffer = buffer
            bytes.writeBuffer(&buffer)
        }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
#endif
