// SPDX-License-Identifier: Apache-2.0

#if Client
public import Foundation
public import HTTPTypes
import HeadraceCore
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Sends requests with Foundation's `URLSession`.
///
/// Use it on Apple's platforms. On Linux, use ``AsyncHTTPClientTransport``: Foundation for Linux (Swift 6.3) ends the program if a connection
/// is cut within the head of a response.
///
/// It follows no redirections, because a token must not go to another server. It keeps neither answers nor cookies, unless the
/// configuration says otherwise.
public final class URLSessionTransport: MessageTransport {
    private let session: URLSession
    private let exchanges = Exchanges()

    /// Creates a transport with a new session.
    ///
    /// - Parameter configuration: The configuration of the session, such as its proxies and its cellular access. The default keeps
    ///   nothing, and has a time limit of a day, because the dispatcher has a shorter limit.
    public init(_ configuration: URLSessionConfiguration = URLSessionTransport.configuration) {
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// The default configuration, a new copy each time.
    public static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = 86_400
        configuration.timeoutIntervalForResource = 7 * 86_400
        return configuration
    }

    /// Sends a request, and returns its response when its head has arrived.
    ///
    /// - Throws: `URLError`; `CancellationError`.
    public func send(_ request: HTTPRequest, body: Data?) async throws -> TransportResponse {
        guard let url = URL(string: "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")") else {
            throw URLError(.badURL)
        }
        var message = URLRequest(url: url)
        message.httpMethod = request.method.rawValue
        for field in request.headerFields { message.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        message.httpBody = body
        let task = session.dataTask(with: message)
        let exchange = Exchange(task)
        exchanges.add(exchange)
        task.resume()
        let received = ReceivedBody(exchange)
        return TransportResponse(try await exchange.head(), body: received)
    }
}

/// The body of a response; its end of life cancels the task of the request.
private final class ReceivedBody: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    private let exchange: Exchange

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }

    deinit {
        exchange.cancel()
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        let body: ReceivedBody

        func next() async throws -> Data? { try await body.exchange.next() }
    }
}

/// A request and the arrived part of its response.
private final class Exchange: Sendable {
    private struct State {
        var head: Result<HTTPResponse, any Error>?
        var headWaiter: Waiter<HTTPResponse>?

        /// The arrived bytes that the reader hasn't taken.
        var received = Data()
        var bodyWaiter: Waiter<Data?>?

        /// The end of the body.
        var end: Result<Void, any Error>?
        var isSuspended = false
    }

    /// Number of bytes that may wait for their reader; then the server has to wait.
    private static let longestBuffer = 1 << 18

    private let task: URLSessionTask
    private let state = Mutex(State())

    init(_ task: URLSessionTask) {
        self.task = task
    }

    var identifier: Int { task.taskIdentifier }

    func cancel() {
        task.cancel()
    }

    /// Returns the head when it has arrived.
    nonisolated(nonsending) func head() async throws -> HTTPResponse {
        let waiter = state.withLock { state in
            let waiter = Waiter<HTTPResponse>()
            if let head = state.head { _ = waiter.end(with: head) } else { state.headWaiter = waiter }
            return waiter
        }
        return try await waiter.value()
    }

    /// Returns what has arrived, at least one byte; `nil` at the end.
    nonisolated(nonsending) func next() async throws -> Data? {
        let (waiter, resumesTask) = state.withLock { state in
            let waiter = Waiter<Data?>()
            if !state.received.isEmpty {
                _ = waiter.end(with: .success(state.received))
                state.received = Data()
            } else if let end = state.end {
                _ = waiter.end(with: end.map { nil })
            } else {
                state.bodyWaiter = waiter
            }
            defer { state.isSuspended = false }
            return (waiter, state.isSuspended)
        }
        if resumesTask { task.resume() }
        return try await waiter.value()
    }

    func receive(_ head: HTTPResponse) {
        let resumption = state.withLock { state in
            state.head = .success(head)
            return state.headWaiter?.end(with: .success(head))
        }
        resumption?.resume()
    }

    func receive(_ data: Data) {
        let (resumption, suspendsTask) = state.withLock { state -> (Resumption<Data?>?, Bool) in
            let waiter = state.bodyWaiter
            state.bodyWaiter = nil
            if let resumption = waiter?.end(with: .success(data)) { return (resumption, false) }
            state.received.append(data)
            if state.received.count < Self.longestBuffer || state.isSuspended { return (nil, false) }
            state.isSuspended = true
            return (nil, true)
        }
        resumption?.resume()
        if suspendsTask { task.suspend() }
    }

    func end(_ error: (any Error)?) {
        let (head, body) = state.withLock { state in
            let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
            state.end = end
            if state.head == nil { state.head = .failure(error ?? URLError(.badServerResponse)) }
            return (
                state.head.flatMap { state.headWaiter?.end(with: $0) }, state.bodyWaiter?.end(with: end.map { nil })
            )
        }
        head?.resume()
        body?.resume()
    }
}

/// The exchanges of a session, which receive the events of their tasks.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Mutex<[Int: Exchange]>([:])

    func add(_ exchange: Exchange) {
        exchanges.withLock { $0[exchange.identifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.receive(HTTPResponse(response)) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.end(error)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

extension HTTPResponse {
    fileprivate init(_ response: HTTPURLResponse) {
        self.init(status: Status(code: min(max(response.statusCode, 100), 999)))
        for (name, value) in response.allHeaderFields {
            if let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String {
                headerFields.append(HTTPField(name: name, value: value))
            }
        }
    }
}
#endif
