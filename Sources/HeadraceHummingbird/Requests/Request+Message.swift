// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
public import HeadraceCore
import HeadraceDomain
import HeadraceStorage
public import Hummingbird
import NIOCore

extension Request {
    /// Decodes a message from the parameters of the path and from the body, if there is one.
    ///
    /// The body is decoded by `decoder`, or by the decoder of `context`.
    ///
    /// - Throws: ``Problem``; `DecodingError`; the errors of the decoder.
    func command<Message: Decodable>(
        _ type: Message.Type,
        in context: some RequestContext,
        by decoder: (any RequestDecoder)? = nil,
        limits: RequestLimits,
        clock: any TimeSource
    ) async throws -> Message {
        let decoder = decoder ?? context.requestDecoder
        try requireNoQuery()
        let parameters = try MessageParameters(of: self, in: context, queryLimit: nil)
        let bytes = try await commandBody(isJSON: decoder is JSONDecoder, limits: limits, clock: clock)
        if bytes.readableBytes == 0 { return try Message(from: MessageDecoder(parameters: parameters, body: nil)) }
        var request = self
        request.body = RequestBody(buffer: bytes)
        let collected = request
        return try await MessageParameters.$current.withValue(parameters) {
            try await decoder.decode(DecodedMessage<Message>.self, from: collected, context: context).message
        }
    }

    /// Decodes a message from the parameters of the path and from the body, which has the form in which a store keeps a command of
    /// type `durable`.
    ///
    /// - Throws: ``Problem``, also if `version` can't be migrated; `DecodingError`; the errors of migrations.
    func storedCommand<Message: Decodable>(
        _ type: Message.Type,
        as durable: any DurableCommand.Type,
        version: Int,
        in context: some RequestContext,
        limits: RequestLimits,
        clock: any TimeSource
    ) async throws -> Message {
        try requireNoQuery()
        let parameters = try MessageParameters(of: self, in: context, queryLimit: nil)
        guard durable.decodableVersions?.contains(version) == true else { throw Problem.unknown(version, of: durable) }
        let bytes = try await commandBody(isJSON: true, limits: limits, clock: clock)
        let json = try durable.commandMigrations.migrate(Data(bytes.readableBytesView), from: version)
        return try MessageParameters.$current.withValue(parameters) {
            try DocumentCoding.decode(DecodedMessage<Message>.self, from: json).message
        }
    }

    /// Reads the body of a command, which must be JSON of UTF-8 if `isJSON` and if there is a body.
    private func commandBody(isJSON: Bool, limits: RequestLimits, clock: any TimeSource) async throws -> ByteBuffer {
        // A body of another type is refused before it has arrived.
        if isJSON, let length = headers[.contentLength], length != "0" { try requireJSON() }
        let bytes = try await collectedBody(upTo: limits.bodyLength, within: limits.bodyTime, clock: clock)
        if !isJSON || bytes.readableBytes == 0 { return bytes }
        try requireJSON()
        guard String(validating: bytes.readableBytesView, as: UTF8.self) != nil else {
            throw Problem.malformed("The body is not UTF-8. To fix, encode it as UTF-8.")
        }
        return bytes
    }

    /// Decodes a message from the parameters of the path and of the query.
    ///
    /// - Throws: ``Problem``; `DecodingError`.
    func query<Message: Decodable>(
        _ type: Message.Type,
        in context: some RequestContext,
        limits: RequestLimits
    ) throws -> Message {
        let parameters = try MessageParameters(of: self, in: context, queryLimit: limits.parameterCount)
        let message = try Message(from: MessageDecoder(parameters: parameters, body: nil))
        try parameters.requireAllUsed()
        return message
    }

    /// Throws if the target has a query.
    func requireNoQuery() throws {
        if uri.query?.isEmpty ?? true { return }
        throw Problem.malformed("The request takes no query parameters. To fix, omit them.")
    }

    /// Throws if the body isn't JSON.
    ///
    /// A page of another site can send texts and forms without the consent of the server, but no JSON.
    func requireJSON() throws {
        let media = (headers[.contentType] ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        guard media == "application/json" || media.hasSuffix("+json") else {
            throw Problem(
                .unsupportedMediaType,
                code: "unsupportedType",
                "The body must be JSON. To fix, set the field 'Content-Type' to 'application/json'."
            )
        }
    }

    /// Reads the complete body.
    ///
    /// - Parameters:
    ///   - limit: Maximum length of the body in bytes.
    ///   - time: Maximum time until the body has arrived.
    ///   - clock: Measures the time.
    /// - Returns: The body.
    /// - Throws: ``Problem`` with the status 413 if the body is too long, with 408 if it is too slow, and with 415 if it is
    ///   compressed, and with 400 if the client closes the connection before its end.
    public func collectedBody(
        upTo limit: Int,
        within time: Duration,
        clock: any TimeSource = ContinuousClock()
    ) async throws -> ByteBuffer {
        guard headers[values: .contentEncoding].allSatisfy({ $0.lowercased() == "identity" }) else {
            throw Problem(
                .unsupportedMediaType, code: "unsupportedEncoding",
                "The server understands no 'Content-Encoding'. To fix, send the body without compression.")
        }
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit { throw Problem.tooLarge(limit) }
        let body = body
        return try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
            group.addTask {
                do {
                    var bytes = ByteBuffer()
                    for try await var buffer in body {
                        if bytes.readableBytes + buffer.readableBytes > limit { throw Problem.tooLarge(limit) }
                        bytes.writeBuffer(&buffer)
                    }
                    return bytes
                } catch is IOError {
                    throw Problem.incomplete
                } catch is ChannelError {
                    throw Problem.incomplete
                }
            }
            group.addTask {
                try await clock.sleep(until: clock.now.advanced(by: time), tolerance: nil)
                return nil
            }
            defer { group.cancelAll() }
            guard let bytes = try await group.next() ?? nil else {
                throw Problem(
                    .requestTimeout, code: "tooSlow", "The body did not arrive in time. To fix, send it again, faster.")
            }
            return bytes
        }
    }
}

extension Problem {
    /// A client of another version has sent the command.
    fileprivate static func unknown(_ version: Int, of type: any DurableCommand.Type) -> Problem {
        let (side, code) = version > type.commandVersion ? ("server", "newerVersion") : ("client", "olderVersion")
        return Problem(
            .unprocessableContent,
            code: code,
            """
            The client has sent version \(version) of '\(type.commandName)', and the server has version \(type.commandVersion). To fix, \
            update the \(side).
            """
        )
    }

    /// The client has left; the log and the flow of an inspector show this outcome.
    fileprivate static let incomplete = Problem(
        .badRequest, code: "incomplete", "The connection ended before the body was complete. To fix, send it again.")
}

/// The limits on requests to the routes of an application.
public struct RequestLimits: Sendable {
    /// Maximum length of a body in bytes; 1 MiB by default.
    ///
    /// A longer body receives the status 413.
    public var bodyLength = 1 << 20

    /// Maximum time until a body has arrived; 30 seconds by default.
    ///
    /// A slower body receives the status 408.
    public var bodyTime: Duration = .seconds(30)

    /// Maximum number of query parameters; 64 by default.
    ///
    /// More parameters receive the status 400.
    public var parameterCount = 64

    /// Maximum number of open event streams; 256 by default.
    ///
    /// Further streams receive the status 503.
    public var streamCount = 256

    /// Interval between two comments that keep an idle event stream open; 15 seconds by default.
    public var heartbeat: Duration = .seconds(15)

    /// Creates the default limits.
    public init() {}
}
#endif
