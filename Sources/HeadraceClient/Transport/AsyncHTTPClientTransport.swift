// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient && Client
import AsyncHTTPClient
public import Foundation
public import HTTPTypes
import HeadraceCore
import NIOCore
import NIOHTTP1

/// Sends requests with async-http-client, for programs on Linux, and for servers that call another server.
///
/// It needs the trait `AsyncHTTPClient`. It follows no redirections, because a token must not go to another server. Its connections
/// stay open, and are shared by all requests.
public final class AsyncHTTPClientTransport: MessageTransport {
    private let client: HTTPClient

    /// Creates a transport with its own connections, on the threads that all clients share.
    ///
    /// - Parameter connectTime: Maximum time for a connection.
    public init(connectTime: Duration = .seconds(10)) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: TimeAmount(connectTime))
        )
        // The dispatcher decides what is sent again.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(configuration: configuration)
    }

    deinit {
        // The client keeps itself until its connections are closed.
        client.shutdown { _ in }
    }

    /// Sends a request, and returns its response when its head has arrived.
    ///
    /// - Throws: `HTTPClientError`; the errors of the network; `CancellationError`.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse {
        var message = HTTPClientRequest(
            url: "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headerFields { message.headers.add(name: field.name.rawName, value: field.value) }
        if let body { message.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await client.execute(message, deadline: .distantFuture)
        var head = HTTPResponse(status: HTTPResponse.Status(code: Int(response.status.code)))
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        return TransportResponse(head, body: ReceivedParts(transport: self, parts: response.body))
    }
}

/// The body of a response, which keeps the connections open until it is read.
private struct ReceivedParts: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    let transport: AsyncHTTPClientTransport
    let parts: HTTPClientResponse.Body

    func makeAsyncIterator() -> Iterator { Iterator(parts: parts.makeAsyncIterator(), transport: transport) }

    struct Iterator: AsyncIteratorProtocol {
        var parts: HTTPClientResponse.Body.AsyncIterator
        let transport: AsyncHTTPClientTransport

        @concurrent
        mutating func next() async throws -> Data? {
            try await parts.next().map { Data($0.readableBytesView) }
        }
    }
}
#endif
