// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
package import HTTPTypes
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceStorage

/// A message on its way: the request that is sent, perhaps several times, and the meaning of its answers.
struct Call: Sendable {
    private let route: MessageRoute
    private let target: HTTPRequest
    private let key: String?

    /// The instant at which the message expires.
    let deadline: ContinuousClock.Instant

    /// The body of the request; `nil` for a query.
    let body: Data?

    /// The version of a durable command, which is sent in its stored form; `nil` for other messages.
    private let version: Int?

    /// Whether the request asks for the values of a live query, and the last of them that has arrived.
    private var observes = false
    private var lastID: String?

    private var isCommand: Bool { key != nil }

    /// - Throws: `EncodingError` if the message can't be a request.
    init(
        _ message: some DispatchedMessage,
        on route: MessageRoute,
        at address: ServerAddress,
        key: String?,
        deadline: ContinuousClock.Instant
    ) throws {
        guard let encodable = message as? any Encodable else { throw DispatchError.noRoute(for: type(of: message)) }
        let parameters = route.template.parameters
        var path = route.path
        let durable = message as? any DurableCommand
        version = durable.map { type(of: $0).commandVersion }
        if key == nil || !parameters.isEmpty {
            let members = try MessageParameters(try MessageJSON.encode(encodable))
            path = try route.template.path(of: members)
            let query = key == nil ? try members.query(without: parameters) : ""
            if !query.isEmpty { path += "?\(query)" }
        }
        self.route = route
        self.key = key
        self.deadline = deadline
        body =
            switch (key, durable) {
            case (nil, _): nil
            case (_, let durable?): try DocumentCoding.encode(durable)
            case (_, nil): try MessageJSON.encode(encodable)
            }
        target = HTTPRequest(
            method: route.method, scheme: address.scheme, authority: address.authority, path: address.path + path)
    }

    /// Lets the request ask for the values of a live query after the event with the ID `lastID`.
    ///
    /// - Throws: `DispatchError` if the route has no live query.
    mutating func observe(after lastID: String?) throws {
        guard route.isLive else { throw DispatchError.notLive(route) }
        observes = true
        self.lastID = lastID
    }

    /// Returns the head of the next request.
    func request(token: String?, context: MessageContext?, now: ContinuousClock.Instant) -> HTTPRequest {
        var request = target
        request.headerFields[.accept] = observes ? "text/event-stream" : "application/json, text/event-stream"
        if let lastID { request.headerFields[.lastEventID] = lastID }
        if body != nil { request.headerFields[.contentType] = "application/json" }
        if let version { request.headerFields[.commandVersion] = "\(version)" }
        if let key { request.headerFields[.idempotencyKey] = "\"\(key)\"" }
        if let token { request.headerFields[.authorization] = "Bearer \(token)" }
        for (name, value) in TraceCarrier.current {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        if let context {
            request.headerFields[.messageCause] = context.id.uuidString.lowercased()
            request.headerFields[.messageCorrelation] = context.correlationID.uuidString.lowercased()
        }
        let seconds = max(0, now.duration(to: deadline) / .milliseconds(1)).rounded() / 1_000
        request.headerFields[.messageTimeLimit] = "\(seconds)"
        return request
    }

    /// Runs `operation`, and takes its errors as the lack of an answer.
    nonisolated(nonsending) func reading<Result>(
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            return try await operation()
        } catch let error as RemoteError {
            throw error
        } catch let error as EventReader.TooLong {
            // It would be as long the next time.
            throw invalid("\(error)", .ok)
        } catch {
            if Task.isCancelled || error is CancellationError { throw CancellationError() }
            throw RemoteError.unreachable(error, isCommand: isCommand)
        }
    }

    /// Returns the error in the body of a response.
    func error(in body: Data, status: HTTPResponse.Status, retryAfter: Duration?) -> any Error {
        let problem = ServerProblem.$declared.withValue(route.errors) {
            try? MessageJSON.decode(ServerProblem.self, from: body)
        }
        guard let problem else {
            if status == .notFound { return RemoteError.unknownRoute(route) }
            if status.code < 400 { return invalid("it has the status \(status)", status) }
            return RemoteError.withoutProblem(status, retryAfter: retryAfter, isCommand: isCommand)
        }
        if let error = problem.error { return error }
        if status == .notFound, problem.code == "noRoute" { return RemoteError.unknownRoute(route) }
        return problem.remoteError(status, retryAfter: retryAfter, isCommand: isCommand)
    }

    /// Returns the error of a response that can't be understood.
    func invalid(_ reason: String, _ status: HTTPResponse.Status) -> RemoteError {
        .invalidResponse(reason, status: status, isCommand: isCommand)
    }

    /// Decodes a value in the body of a response.
    func decode<Value>(_ type: Value.Type, from json: Data, status: HTTPResponse.Status) throws -> Value {
        if let nothing = () as? Value { return nothing }
        do {
            guard let decodable = Value.self as? any Decodable.Type,
                let value = try MessageJSON.decode(decodable, from: json) as? Value
            else { throw invalid("'\(String(naming: Value.self))' isn't 'Decodable'", status) }
            return value
        } catch let error as DecodingError {
            throw invalid("it is no '\(String(naming: Value.self))': \(error)", status)
        }
    }
}

extension HTTPField.Name {
    /// The key by which repetitions of a command are detected.
    static let idempotencyKey = named("Idempotency-Key")

    /// The ID of the last event of a stream that has arrived.
    package static let lastEventID = named("Last-Event-ID")

    /// ID of the message of a client that caused the request.
    package static let messageCause = named("Headrace-Cause")

    /// ID of the first message of the chain of a client.
    package static let messageCorrelation = named("Headrace-Correlation")

    /// The version of a durable command, which is sent in its stored form.
    package static let commandVersion = named("Headrace-Version")

    /// Time in seconds until the deadline of a message.
    package static let messageTimeLimit = named("Headrace-Time-Limit")

    private static func named(_ name: String) -> HTTPField.Name {
        guard let known = HTTPField.Name(name) else {
            preconditionFailure("'\(name)' isn't a valid field name. To fix, correct it.")
        }
        return known
    }
}
#endif
