// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HTTPTypes
public import HeadraceCommands
public import HeadraceCore

/// Dispatches commands and queries to the handlers of a server.
///
/// ```swift
/// let remote = try RemoteDispatcher(bookingAPI, at: "https://booking.example", through: URLSessionTransport())
///
/// try await remote.dispatch(ReserveSeat(event: event, seat: 4))
/// let left = try await remote.dispatch(SeatsLeft(event: event))
/// ```
///
/// It is a `CommandQueryDispatcher`, so a station, a view model, or a test uses it like the dispatcher of the server.
///
/// - A message travels with its cause and its trace, with the time that is left until its deadline, and with the user's token.
/// - A command has a key. It is sent again with its key if the answer was lost, and takes effect once.
/// - An error that the route of the message declares arrives as the error that the handler has thrown. Every other error is a
///   ``RemoteError``.
/// - A cancelled task cancels its request.
///
/// A dispatcher has no state: create one for each server, and share it.
public struct RemoteDispatcher: CommandQueryDispatcher {
    /// The settings of a dispatcher.
    public struct Configuration: Sendable {
        /// Returns the token of the user, for the field `Authorization: Bearer …`; `nil`, the default, for none.
        ///
        /// It is called before each request, so it can return a new token when the old one has ended.
        public var token: @Sendable () async throws -> String? = { nil }

        /// The middleware around each message, the outermost first.
        public var middleware: [any Middleware] = []

        /// The observers that are notified of each message.
        public var observers: [any MessageObserver] = []

        /// Maximum number of requests for one message; 4 by default.
        ///
        /// A request is repeated if there was no answer, and if the server was too busy.
        public var maximumAttempts = 4

        /// The pauses between requests, which are longer if the server says so.
        public var backoff = Backoff(base: .milliseconds(200))

        /// Maximum time for all requests of one message, or until a stream begins; 60 seconds by default.
        ///
        /// An earlier deadline of the task comes first.
        public var timeLimit: Duration = .seconds(60)

        /// Maximum length of a response, or of one value of a stream, in bytes; 16 MiB by default.
        public var responseLength = 16 << 20

        /// Time without a byte after which an observation connects again; 60 seconds by default.
        ///
        /// A server of Headrace sends a comment every 15 seconds.
        public var silence: Duration = .seconds(60)

        /// The clock for pauses and deadlines.
        public var clock: any TimeSource = CurrentClock()

        /// Creates the default settings.
        public init() {}
    }

    let server: Server
    private let chain: MiddlewareChain

    /// The messages of the server.
    let api: MessageAPI

    /// Creates a dispatcher for a server.
    ///
    /// - Parameters:
    ///   - api: The messages of the server.
    ///   - address: The address of the API, such as `https://booking.example/api`.
    ///   - transport: Sends the requests.
    ///   - configuration: The settings.
    /// - Throws: ``MessageAPIError`` if the API is invalid, or if `address` isn't an address of HTTP.
    public init(
        _ api: MessageAPI,
        at address: String,
        through transport: any MessageTransport,
        _ configuration: Configuration = Configuration()
    ) throws {
        try api.validate()
        self.api = api
        server = try Server(api, at: address, through: transport, configuration)
        let timeout = RequestTimeout(configuration.timeLimit, clock: configuration.clock)
        chain = MiddlewareChain(
            middleware: configuration.middleware + [timeout],
            observers: configuration.observers,
            clock: configuration.clock
        )
    }

    @TaskLocal private static var key: String?

    /// The key of the next command.
    ///
    /// It is made outside of all middleware, which may handle the command several times.
    private static var newKey: String { key ?? UUID.version7().uuidString.lowercased() }

    /// Runs `operation` with `key` for the command that it dispatches.
    ///
    /// Without it, each dispatch has a new key. Use it to send a command again whose outcome is unknown, also in another run of
    /// the program.
    ///
    /// - Parameters:
    ///   - key: A text of 1 to 255 bytes without control characters, which no other command has.
    ///   - operation: Dispatches one command.
    /// - Returns: The result of `operation`.
    /// - Throws: The errors of `operation`.
    public static nonisolated(nonsending) func withKey<Result>(
        _ key: String,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await $key.binding(key, operation)
    }

    /// Sends `command`, and returns when the server has handled it.
    ///
    /// - Throws: An error that the route declares; ``RemoteError``; `MessageValidationError`, `EncodingError`, and other errors
    ///   before the command is sent; `CancellationError`.
    public nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand, T.Output == Void {
        let (server, key) = (server, Self.newKey)
        try await chain.run(command, kind: .command) { command in
            _ = try await server.answer(to: command, key: key)
        }
    }

    /// Sends `command`, and returns the result of its handler.
    ///
    /// - Throws: The same errors as for a command without a result.
    @discardableResult
    public nonisolated(nonsending) func dispatch<T>(_ command: T) async throws -> T.Output where T: CQDCommand {
        let (server, key) = (server, Self.newKey)
        return try await chain.run(command, kind: .command) { command in
            try await server.answer(to: command, key: key).decoded(as: T.Output.self)
        }
    }

    /// Sends `query`, and returns the value of its handler.
    ///
    /// - Throws: The same errors as for a command.
    public nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        let server = server
        return try await chain.run(query, kind: .query) { query in
            try await server.answer(to: query, key: nil).decoded(as: T.Value.self)
        }
    }

    /// Sends `query`, and returns the stream of the values of its handler.
    ///
    /// A value is read when it is asked for. The stream fails if it ends before its last value.
    ///
    /// - Throws: The same errors as for a command.
    public nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        let server = server
        return try await chain.run(query, kind: .query) { query in
            try await server.values(of: query)
        }
    }
}

extension RemoteDispatcher {
    /// Observes the value of `query`: returns the current value, and a new value whenever a commit on the server has changed it.
    ///
    /// ```swift
    /// for try await left in remote.observe(SeatsLeft(event: event)) { badge.text = "\(left)" }
    /// ```
    ///
    /// - A slow reader skips values, and always receives the last one. No value is older than one before.
    /// - If the connection ends, the observation connects again after a pause, for as long as the task isn't cancelled. A value that
    ///   is equal to the last one isn't repeated.
    /// - The server checks the rights of the user each time. An error of the handler, a missing right, or another error that isn't
    ///   temporary ends the observation.
    ///
    /// The route of the query must be a ``MessageRoute/live(_:query:errors:)``. Nothing is sent before the first value is asked for.
    ///
    /// - Parameter query: The query.
    /// - Returns: The values, without an end. The errors are those of `dispatch(_:)` for a query.
    public func observe<T: CQDQuery>(_ query: T) -> QueryStream<T.Value> {
        let observation = Observation(query, on: server, around: chain)
        return QueryStream { try await observation.next() }
    }
}

/// Ends the requests of a message that take too long.
///
/// In contrast to a `TimeoutError`, its error says that a command may have taken effect: a retry would have another key.
private struct RequestTimeout: Middleware {
    private let timeout: TimeoutMiddleware

    init(_ limit: Duration, clock: any TimeSource) {
        timeout = TimeoutMiddleware(limit, clock: clock)
    }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        do {
            return try await timeout.handle(message, in: context, next: next)
        } catch let error as TimeoutError {
            throw RemoteError(
                code: "timedOut",
                message:
                    "The server gave no answer within \(error.limit). To fix, try again later, or raise the time limit.",
                isTemporary: true,
                mayHaveTakenEffect: context.kind == .command,
                cause: error
            )
        }
    }
}
#endif
