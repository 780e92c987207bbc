// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
import HeadraceCommands
import HeadraceCore

/// Sends messages to a server as requests, and repeats these.
final class Server: Sendable {
    private let routes: [ObjectIdentifier: MessageRoute]
    private let address: ServerAddress
    private let transport: any MessageTransport
    private let configuration: RemoteDispatcher.Configuration

    init(
        _ api: MessageAPI,
        at address: String,
        through transport: any MessageTransport,
        _ configuration: RemoteDispatcher.Configuration
    ) throws {
        routes = Dictionary(uniqueKeysWithValues: api.routes.map { (ObjectIdentifier($0.message), $0) })
        self.address = try ServerAddress(address)
        self.transport = transport
        self.configuration = configuration
    }

    /// Returns the answer to `message`, with its body.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - key: The key of a command; `nil` for a query.
    /// - Returns: The answer.
    /// - Throws: ``RemoteError``; an error that the route declares; `DispatchError`; `EncodingError`; `CancellationError`.
    nonisolated(nonsending) func answer(to message: some DispatchedMessage, key: String?) async throws -> Answer {
        let call = try call(message, key: key)
        return try await repeating(until: call.deadline) {
            let response = try await self.send(call)
            return Answer(status: response.head.status, body: try await self.body(of: response, of: call), call: call)
        }
    }

    /// Returns the values of `query`, of which the first may not have arrived.
    nonisolated(nonsending) func values<Query: CQDStreamQuery>(of query: Query) async throws -> QueryStream<
        Query.Element
    > {
        let call = try call(query, key: nil)
        let body = try await repeating(until: call.deadline) { try await self.send(call).body }
        var reader = EventReader(body, longest: configuration.responseLength)
        return QueryStream {
            while let event = try await call.reading({ try await reader.next() }) {
                switch event.name {
                case "message": return try call.decode(Query.Element.self, from: event.data, status: .ok)
                case "end": return nil
                case "problem": throw call.error(in: event.data, status: .ok, retryAfter: nil)
                default: continue
                }
            }
            throw RemoteError.unreachable(StreamError.endedEarly, isCommand: false)
        }
    }

    /// Returns the events with the values of `query`, from the current value on.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - lastID: The ID of the last event that has arrived; if the value is the same, no event comes before the next change.
    /// - Returns: The events, and the call to which they belong.
    /// - Throws: The same errors as `answer(to:key:)`.
    nonisolated(nonsending) func events(
        of query: some CQDQuery,
        after lastID: String?
    ) async throws -> (events: EventReader, call: Call) {
        var call = try call(query, key: nil)
        try call.observe(after: lastID)
        let response = try await send(call)
        if response.head.headerFields[.contentType]?.hasPrefix("text/event-stream") != true {
            throw call.invalid("it has no events, so the server has no live query here", response.head.status)
        }
        let silence = (configuration.silence, configuration.clock)
        return (EventReader(response.body, longest: configuration.responseLength, silence: silence), call)
    }

    /// Waits before the next attempt to observe, `failures` attempts after the last that succeeded.
    nonisolated(nonsending) func pause(after error: RemoteError, failures: Int) async throws {
        try await configuration.clock.sleep(until: end(of: error, attempt: failures), tolerance: nil)
    }

    /// Returns the end of the pause after `error`.
    private func end(of error: RemoteError, attempt: Int) -> ContinuousClock.Instant {
        var numbers = RandomNumbers.current
        let pause = max(configuration.backoff.pause(afterAttempt: attempt, using: &numbers), error.retryAfter ?? .zero)
        return configuration.clock.now.advanced(by: pause)
    }

    private func call(_ message: some DispatchedMessage, key: String?) throws -> Call {
        guard let route = routes[ObjectIdentifier(type(of: message))] else {
            throw DispatchError.noRoute(for: type(of: message))
        }
        let end = configuration.clock.now.advanced(by: configuration.timeLimit)
        let deadline = MessageContext.current?.deadline.map { min($0, end) } ?? end
        return try Call(message, on: route, at: address, key: key, deadline: deadline)
    }

    // MARK: One request

    /// Sends the request of `call`, and returns its response if it has no error.
    private nonisolated(nonsending) func send(_ call: Call) async throws -> TransportResponse {
        let request = call.request(
            token: try await configuration.token(), context: .current, now: configuration.clock.now)
        let transport = transport
        let response = try await call.reading { try await transport.send(request, body: call.body) }
        if response.head.status.kind == .successful { return response }
        let retryAfter = response.head.headerFields[.retryAfter].flatMap { Int($0) }.map {
            Duration.seconds(min(max(0, $0), 86_400))
        }
        throw call.error(
            in: try await body(of: response, of: call), status: response.head.status, retryAfter: retryAfter)
    }

    private nonisolated(nonsending) func body(of response: TransportResponse, of call: Call) async throws -> Data {
        let longest = configuration.responseLength
        return try await call.reading {
            var body = Data()
            for try await part in response.body {
                if body.count + part.count > longest {
                    throw call.invalid("it is longer than \(longest) bytes", response.head.status)
                }
                body.append(part)
            }
            return body
        }
    }

    // MARK: Repetition

    /// Runs `attempt` until it succeeds, fails for good, or has failed too often.
    private nonisolated(nonsending) func repeating<Result>(
        until deadline: ContinuousClock.Instant,
        _ attempt: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        var number = 1
        var mayHaveTakenEffect = false
        while true {
            do {
                guard number > 1, let context = MessageContext.current else { return try await attempt() }
                return try await context.asAttempt(number, attempt)
            } catch var error as RemoteError {
                // A refusal of this attempt says nothing about the attempts before.
                mayHaveTakenEffect = mayHaveTakenEffect || error.mayHaveTakenEffect
                error.mayHaveTakenEffect = mayHaveTakenEffect
                guard error.isTemporary, number < configuration.maximumAttempts else { throw error }
                try await pause(after: error, attempt: number, until: deadline)
                number += 1
            }
        }
    }

    /// Waits until the time of the next request.
    ///
    /// - Throws: `error` if the message has no time left then.
    private nonisolated(nonsending) func pause(
        after error: RemoteError,
        attempt: Int,
        until deadline: ContinuousClock.Instant
    ) async throws {
        let end = end(of: error, attempt: attempt)
        if end >= deadline { throw error }
        try await configuration.clock.sleep(until: end, tolerance: nil)
    }
}

/// A stream of events that has ended too early.
enum StreamError: Error, CustomStringConvertible {
    case endedEarly
    case silent

    var description: String {
        switch self {
        case .endedEarly: "the stream ended before its last value"
        case .silent: "the server was silent for too long"
        }
    }
}

/// The answer to a message.
struct Answer {
    let status: HTTPResponse.Status
    let body: Data
    let call: Call

    /// Decodes the result of a command, or the value of a query.
    func decoded<Value>(as type: Value.Type) throws -> Value {
        try call.decode(type, from: body, status: status)
    }
}

/// The address of a server, such as `https://booking.example/api`.
struct ServerAddress: Sendable {
    let scheme: String
    let authority: String

    /// The path without a slash at its end.
    let path: String

    init(_ text: String) throws {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            let host = parts.percentEncodedHost, !host.isEmpty, parts.query == nil, parts.fragment == nil,
            parts.user == nil
        else {
            throw MessageAPIError([
                "'\(text)' isn't the address of a server. It must be like 'https://example.com/api', without a user or a query."
            ])
        }
        self.scheme = scheme
        authority = parts.port.map { "\(host):\($0)" } ?? host
        path =
            parts.percentEncodedPath.hasSuffix("/")
            ? String(parts.percentEncodedPath.dropLast()) : parts.percentEncodedPath
    }
}
#endif
