// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
public import HTTPTypes
import HeadraceClient
public import HeadraceCore
public import Hummingbird
public import Logging
import NIOHTTP1
import Synchronization

/// Handles each request as the first message of its chain, and makes a problem of each error.
///
/// ```swift
/// var configuration = RequestMiddleware<BasicRequestContext>.Configuration()
/// configuration.observers = [inspector.observer]
/// configuration.problems.add(BookingError.self) { $0 == .soldOut ? .conflict : .unprocessableContent }
/// router.add(middleware: RequestMiddleware(configuration))
/// ```
///
/// Add it before all other middleware, except middleware that finds out who sends a request. For each request:
///
/// 1. The trace of the sender continues, if the program has an instrument and no trace yet.
/// 2. The principal and the deadline are set, which all messages of the request inherit.
/// 3. A ``RequestMessage`` is handled: its observers and middleware see the method, the route, and the outcome.
/// 4. An error becomes a ``Problem`` of the ``ProblemTable``. An unexpected error is logged, and the client receives the
///    status 500 with the ID of the log entry.
public struct RequestMiddleware<Context: RequestContext>: RouterMiddleware {
    /// The settings of the middleware.
    public struct Configuration: Sendable {
        /// The table from errors to problems.
        public var problems = ProblemTable()

        /// Returns the response to a request that failed with an error; the second value is the error's problem.
        ///
        /// The default is the problem as problem details. Change it for an API with another format.
        public var response: @Sendable (any Error, Problem) throws -> Response = { _, problem in try problem.response }

        /// Observers that are notified of each request.
        public var observers: [any MessageObserver] = []

        /// Middleware of Headrace around each request, the outermost first.
        public var middleware: [any Middleware] = []

        /// Time after the start of a request at which its messages are refused; 30 seconds by default, `nil` for no limit.
        ///
        /// A running handler isn't interrupted; for that, give the dispatcher a `TimeoutMiddleware`.
        public var timeLimit: Duration? = .seconds(30)

        /// The limits of routes that need another one, such as `["/uploads": .seconds(600)]`.
        public var timeLimits: [String: Duration] = [:]

        /// A header field by which clients lower the limit, in seconds, such as `2.5`; `nil`, the default, for none.
        public var timeLimitField: HTTPField.Name?

        /// Returns the principal of a request; `nil` for none.
        ///
        /// Its error becomes a problem, like an error of the route.
        public var principal: @Sendable (Request, Context) async throws -> (any Principal)? = { _, _ in nil }

        /// Level of the log line for each request, such as `POST /reservations/{id} 201`; `nil`, the default, for no line.
        ///
        /// The line is written when the response begins. It has the principal and the duration, and the ID that Hummingbird gives to
        /// the request. It has the route and not the path, so it contains neither parameters nor tokens.
        public var logLevel: Logger.Level?

        /// The clock for deadlines and durations.
        public var clock: any TimeSource = ContinuousClock()

        /// Creates the default settings.
        public init() {}
    }

    private let configuration: Configuration

    /// Creates the middleware.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Handles `request` as a message.
    ///
    /// - Throws: `HTTPParserError` if the input isn't HTTP, so that the server closes the connection.
    @concurrent
    public func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = configuration.clock.now
        let principal = FoundPrincipal()
        let response: Response
        do {
            response = try await withoutActuallyEscaping(next) { next in
                let next = HandedOver(next)
                return try await TraceCarrier.continuing(from: request.fields) {
                    try await answer(request, in: context, principal: principal, next: next)
                }
            }
        } catch let error as HTTPParserError {
            throw error
        } catch {
            response = try configuration.response(error, problem(for: error, request, context))
        }
        log(request, context, response.status, principal.id, after: start.duration(to: configuration.clock.now))
        return response
    }

    private func log(
        _ request: Request,
        _ context: Context,
        _ status: HTTPResponse.Status,
        _ principalID: String?,
        after duration: Duration
    ) {
        guard let level = configuration.logLevel else { return }
        let message = RequestMessage(request.method, route: context.endpointPath)
        var metadata: Logger.Metadata = ["headrace.duration": "\(duration.milliseconds)"]
        if let principalID { metadata["headrace.principal"] = "\(principalID)" }
        context.logger.log(level: level, "\(message) \(status.code)", metadata: metadata)
    }

    private func answer(
        _ request: Request,
        in context: Context,
        principal: FoundPrincipal,
        next: HandedOver<@concurrent (Request, Context) async throws -> Response>
    ) async throws -> Response {
        let message = RequestMessage(request.method, route: context.endpointPath)
        let configuration = configuration
        let found = try await configuration.principal(request, context)
        principal.id = found?.principalID
        return try await withCause(of: request, isTrusted: found != nil) {
            try await MessageContext.withPrincipal(found) {
                try await withDeadline(of: request, in: context) {
                    try await withRootMessage(
                        message,
                        middleware: configuration.middleware,
                        observers: configuration.observers,
                        clock: configuration.clock
                    ) { _ in
                        do {
                            let response = try await next.value(request, context)
                            MessageContext.current?.setResult("status \(response.status.code)")
                            return response
                        } catch {
                            let status = configuration.problems.problem(for: error)?.status ?? .internalServerError
                            MessageContext.current?.setResult("status \(status.code)")
                            throw error
                        }
                    }
                }
            }
        }
    }

    /// Runs `operation` as caused by the message of the client, if the client is trusted and names one.
    private nonisolated(nonsending) func withCause(
        of request: Request,
        isTrusted: Bool,
        _ operation: nonisolated(nonsending) () async throws -> Response
    ) async throws -> Response {
        guard isTrusted, let cause = request.headers[.messageCause].flatMap({ UUID(uuidString: $0) }) else {
            return try await operation()
        }
        let correlation = request.headers[.messageCorrelation].flatMap { UUID(uuidString: $0) }
        let message = MessageContext(
            kind: .request, type: RequestMessage.self, id: cause, causationID: nil, correlationID: correlation,
            principal: nil)
        return try await MessageContext.withCurrent(message, operation)
    }

    private nonisolated(nonsending) func withDeadline(
        of request: Request,
        in context: Context,
        _ operation: nonisolated(nonsending) () async throws -> Response
    ) async throws -> Response {
        let ownLimit = context.endpointPath.flatMap { configuration.timeLimits[$0] }
        let requested = try configuration.timeLimitField.flatMap { try request.timeLimit(in: $0) }
        let limits = [ownLimit ?? configuration.timeLimit, requested].compactMap { $0 }
        guard let limit = limits.min() else { return try await operation() }
        return try await MessageContext.withDeadline(configuration.clock.now.advanced(by: limit), operation)
    }

    private func problem(for error: any Error, _ request: Request, _ context: Context) -> Problem {
        if var problem = configuration.problems.problem(for: error) {
            let hasNoRoute = RequestMessage(request.method, route: context.endpointPath).route == nil
            if hasNoRoute, problem.status == .notFound { problem.code = "noRoute" }
            return problem
        }
        let id = UUID.version7()
        context.logger.error(
            "A request failed.",
            metadata: [
                "headrace.problem.id": "\(id.uuidString.lowercased())",
                "headrace.request": "\(RequestMessage(request.method, route: context.endpointPath))",
                "error": "\(error)",
            ]
        )
        return .unexpected(id)
    }
}

extension Duration {
    /// The duration in milliseconds, such as `1234.567 ms` in each locale.
    fileprivate var milliseconds: String {
        let microseconds = Int64(self / .microseconds(1))
        let fraction = String(microseconds % 1_000)
        return "\(microseconds / 1_000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) ms"
    }
}

/// The ID of the principal of a request, for its log line.
private final class FoundPrincipal: Sendable {
    private let value = Mutex<String?>(nil)

    var id: String? {
        get { value.withLock(\.self) }
        set { value.withLock { $0 = newValue } }
    }
}

extension Request {
    /// Returns the time limit in seconds in the header field `name`; `nil` if there is none.
    ///
    /// - Throws: ``Problem`` with the status 400 if it isn't from 0 to 86,400.
    func timeLimit(in name: HTTPField.Name) throws -> Duration? {
        guard let text = headers[name] else { return nil }
        guard let seconds = Double(text), (0...86_400).contains(seconds) else {
            throw Problem.malformed(
                "The field '\(name)' must be a number of seconds from 0 to 86400. To fix, correct or omit it.")
        }
        return .seconds(seconds)
    }

    /// The header fields, with lowercase names.
    fileprivate var fields: [String: String] {
        var fields: [String: String] = [:]
        for field in headers { fields[field.name.canonicalName] = field.value }
        return fields
    }
}

/// An HTTP request as the first message of its chain.
///
/// Its name, for logs, metrics, traces, and an inspector, is the method and the path of the route, such as
/// `POST /reservations/{id}`. An inspector also shows the status of the response.
public struct RequestMessage: NamedMessage, CustomStringConvertible {
    /// The method.
    public let method: String

    /// The path of the route with its parameters in braces; `nil` if no route has the path and the method.
    public let route: String?

    /// The name of the message.
    public var messageName: String { route.map { "\(method) \($0)" } ?? "no route" }

    /// The name of the message.
    public var description: String { messageName }

    init(_ method: HTTPRequest.Method, route: String?) {
        self.method = method.rawValue
        // The router calls the missing route so.
        self.route = route == "NotFound" ? nil : route
    }
}

extension HTTPField.Name {
    /// The host name in a request.
    static let host = named("Host")

    /// The key by which repetitions of a request are detected.
    static let idempotencyKey = named("Idempotency-Key")

    /// What a browser wants to do with the response, such as `navigate`.
    static let secFetchMode = named("Sec-Fetch-Mode")

    /// Whether a browser sends the request for a page of another site.
    static let secFetchSite = named("Sec-Fetch-Site")

    private static func named(_ name: String) -> HTTPField.Name {
        guard let known = HTTPField.Name(name) else {
            preconditionFailure("'\(name)' isn't a valid field name. To fix, correct it.")
        }
        return known
    }
}
#endif
