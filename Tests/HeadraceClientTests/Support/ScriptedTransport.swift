// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceClient
import HeadraceTesting
import Synchronization

/// Answers requests in the order of a script, and records them.
final class ScriptedTransport: MessageTransport {
    /// The answer to one request.
    enum Step: Sendable {
        case answer(Int, String, HTTPFields = [:])
        case parts([String])
        case bytes([Data])

        case response(Int, HTTPFields, [Data])

        /// Events after which nothing arrives any more.
        case silentEvents(String)
        case failure(any Error)

        /// Never answers, and ends with its task.
        case silence
    }

    struct Sent: Sendable {
        let head: HTTPRequest
        let body: Data?
    }

    struct Unreachable: Error {}

    private let state: Mutex<(script: [Step], sent: [Sent])>

    convenience init(_ script: Step...) {
        self.init(script)
    }

    init(_ script: [Step]) {
        state = Mutex((script, []))
    }

    var sent: [Sent] { state.withLock { $0.sent } }

    func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse {
        let step = state.withLock { state in
            state.sent.append(Sent(head: request, body: body))
            return state.script.isEmpty ? Step.failure(Unreachable()) : state.script.removeFirst()
        }
        switch step {
        case .answer(let status, let text, let fields):
            return TransportResponse(
                HTTPResponse(status: .init(code: status), headerFields: fields), body: Data(text.utf8))
        case .parts(let parts):
            return TransportResponse(HTTPResponse(status: .ok), body: Parts(parts: parts.map { Data($0.utf8) }))
        case .bytes(let parts): return TransportResponse(HTTPResponse(status: .ok), body: Parts(parts: parts))
        case .response(let status, let fields, let parts):
            return TransportResponse(
                HTTPResponse(status: .init(code: status), headerFields: fields), body: Parts(parts: parts))
        case .silentEvents(let text):
            return TransportResponse(
                HTTPResponse(status: .ok, headerFields: [.contentType: "text/event-stream"]),
                body: Parts(parts: [Data(text.utf8)], isSilentAtEnd: true))
        case .failure(let error): throw error
        case .silence:
            await untilCancelled()
            throw Unreachable()
        }
    }
}

/// A body of several parts.
struct Parts: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    let parts: [Data]

    /// Whether the body has no end.
    var isSilentAtEnd = false

    func makeAsyncIterator() -> Iterator { Iterator(parts: parts[...], isSilentAtEnd: isSilentAtEnd) }

    struct Iterator: AsyncIteratorProtocol {
        var parts: ArraySlice<Data>
        let isSilentAtEnd: Bool

        mutating func next() async throws -> Data? {
            if let part = parts.popFirst() { return part }
            if isSilentAtEnd { await untilCancelled() }
            return nil
        }
    }
}
#endif
