// SPDX-License-Identifier: Apache-2.0

#if Client
public import Foundation
public import HTTPTypes

/// Sends requests over the network.
///
/// A ``RemoteDispatcher`` makes the requests, and decides what is sent again. A transport of your own needs one method, for example
/// to answer without a network in a test.
public protocol MessageTransport: Sendable {
    /// Sends a request, and returns its response when the head of the response has arrived.
    ///
    /// If the task is cancelled, the request must be cancelled, too.
    ///
    /// - Parameters:
    ///   - request: The head of the request, with an absolute target.
    ///   - body: The body; `nil` for none.
    /// - Returns: The response. Its body is read while it arrives.
    /// - Throws: Any error if there is no response: the server may have handled the request or not.
    func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse
}

/// A response whose body may still be arriving.
public struct TransportResponse: Sendable {
    /// The status and the header fields.
    public var head: HTTPResponse

    /// The parts of the body in order; it throws if the body ends too early.
    ///
    /// The next part is asked for when the previous part has been used, so a slow client can slow its server down.
    public var body: any AsyncSequence<Data, any Error> & Sendable

    /// Creates a response.
    public init(_ head: HTTPResponse, body: any AsyncSequence<Data, any Error> & Sendable) {
        self.head = head
        self.body = body
    }

    /// Creates a response whose body has arrived.
    public init(_ head: HTTPResponse, body: Data) {
        self.init(head, body: OnePart(data: body))
    }
}

/// A body of one part.
private struct OnePart: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    let data: Data

    func makeAsyncIterator() -> Iterator { Iterator(data: data) }

    struct Iterator: AsyncIteratorProtocol {
        var data: Data?

        mutating func next() async throws -> Data? {
            defer { data = nil }
            return data
        }
    }
}
#endif
