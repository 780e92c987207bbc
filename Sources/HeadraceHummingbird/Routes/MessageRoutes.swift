// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
public import HTTPTypes
public import HeadraceCommands
public import HeadraceCore
import HeadraceInspector
public import HeadraceResolution
public import Hummingbird

/// Routes that dispatch commands and queries.
///
/// ```swift
/// let messages = router.messages(of: container)
/// messages.post("reservations/{id}", command: ReserveSeat.self)
/// messages.get("seats/{event}", query: SeatsLeft.self)
/// messages.get("reservations", stream: ListReservations.self)
/// ```
///
/// Each request opens a scope of the container, in which its message is dispatched.
///
/// - A command is decoded from the body, by the decoder of the request's context, and from the parameters of the path. A
///   query is decoded from the parameters of the path and the query. A parameter is a member of the message: a text, a
///   number, a Boolean, a UUID, a date, or another type that decodes from one of them, and an array if it occurs several
///   times. A parameter of the path hides a member of the body with the same name.
/// - A request that can't be decoded receives the status 400, with the path of the invalid field.
/// - All other errors become problems of the ``ProblemTable``. A message that isn't valid receives the status 422 with all
///   failures, if the dispatcher has a `ValidationMiddleware`.
///
/// Add a ``RequestMiddleware`` to the router before the routes. Without it, errors that aren't problems or errors of
/// Hummingbird receive the status 500 without a body.
public struct MessageRoutes<Context: RequestContext> {
    let router: any RouterMethods<Context>
    let scope: any DependencyResolutionScope
    let limits: RequestLimits
    let problems: ProblemTable
    let streams: EventStreams
    let clock: any TimeSource

    init(
        router: any RouterMethods<Context>,
        scope: any DependencyResolutionScope,
        limits: RequestLimits,
        problems: ProblemTable,
        clock: any TimeSource
    ) {
        self.router = router
        self.scope = scope
        self.limits = limits
        self.problems = problems
        self.clock = clock
        streams = EventStreams(limits: limits, clock: clock)
    }

    // MARK: Commands

    /// Adds a route for the method POST that dispatches a command.
    ///
    /// - Parameters:
    ///   - path: The path of the route.
    ///   - command: The type of the command.
    ///   - response: The response when the command was handled.
    public func post<Command: CQDCommand & Decodable>(
        _ path: RouterPath,
        command: Command.Type,
        response: CommandResponse<Command> = .automatic
    ) {
        on(path, method: .post, command: command, response: response)
    }

    /// Adds a route for the method PUT that dispatches a command.
    public func put<Command: CQDCommand & Decodable>(
        _ path: RouterPath,
        command: Command.Type,
        response: CommandResponse<Command> = .automatic
    ) {
        on(path, method: .put, command: command, response: response)
    }

    /// Adds a route for the method PATCH that dispatches a command.
    public func patch<Command: CQDCommand & Decodable>(
        _ path: RouterPath,
        command: Command.Type,
        response: CommandResponse<Command> = .automatic
    ) {
        on(path, method: .patch, command: command, response: response)
    }

    /// Adds a route for the method DELETE that dispatches a command.
    public func delete<Command: CQDCommand & Decodable>(
        _ path: RouterPath,
        command: Command.Type,
        response: CommandResponse<Command> = .automatic
    ) {
        on(path, method: .delete, command: command, response: response)
    }

    private func on<Command: CQDCommand & Decodable>(
        _ path: RouterPath,
        method: HTTPRequest.Method,
        command: Command.Type,
        response: CommandResponse<Command>
    ) {
        let (scope, limits, clock) = (scope, limits, clock)
        router.on(path, method: method) { request, context in
            let command = try await request.command(command, in: context, limits: limits, clock: clock)
            let output = try await dispatcher(in: scope).dispatch(command)
            let headers = response.headers(for: command, output)
            guard response.status != .noContent, let result = output as? any Encodable else {
                return Response(status: response.status ?? .noContent, headers: headers)
            }
            var answer = try context.responseEncoder.encode(result, from: request, context: context)
            answer.status = response.status ?? .ok
            answer.headers.append(contentsOf: headers)
            answer.headers[.cacheControl] = "no-store"
            answer.headers[.xContentTypeOptions] = "nosniff"
            return answer
        }
    }

    // MARK: Queries

    /// Adds a route for the method GET that dispatches a query and responds with its value.
    ///
    /// The encoder of the request's context encodes the value. If the value is `nil`, the response has the status 404.
    ///
    /// - Parameters:
    ///   - path: The path of the route.
    ///   - query: The type of the query.
    public func get<Query: CQDQuery & Decodable>(_ path: RouterPath, query: Query.Type) where Query.Value: Encodable {
        let (scope, limits) = (scope, limits)
        router.on(path, method: .get) { request, context in
            let query = try request.query(query, in: context, limits: limits)
            let value = try await dispatcher(in: scope).dispatch(query)
            if (value as? any OptionalValue)?.isNil == true {
                throw Problem(
                    .notFound, code: "notFound", "There is no such resource. To fix, correct the path or the query.")
            }
            var response = try context.responseEncoder.encode(value, from: request, context: context)
            response.headers[.cacheControl] = "no-store"
            response.headers[.xContentTypeOptions] = "nosniff"
            return response
        }
    }

    /// Adds a route for the method GET that dispatches a stream query and responds with server-sent events.
    ///
    /// Each value is an event without a name, whose data is the JSON of the value. After the last value, there is an event with the
    /// name `end`. If the stream fails after the response has begun, an event with the name `problem` has the problem as its data, and
    /// the stream ends.
    ///
    /// - Parameters:
    ///   - path: The path of the route.
    ///   - stream: The type of the query.
    public func get<Query: CQDStreamQuery & Decodable>(_ path: RouterPath, stream: Query.Type)
    where Query.Element: Encodable {
        addStream(path, stream, problems: DeclaredProblems(problems)) { try ServerSentEvent(json: $0) }
    }

    /// Adds a route for a stream query whose values are made events by `event`.
    func addStream<Query: CQDStreamQuery & Decodable>(
        _ path: RouterPath,
        _ stream: Query.Type,
        problems: DeclaredProblems,
        event: @escaping @Sendable (Query.Element) throws -> ServerSentEvent
    ) {
        let (scope, limits, streams) = (scope, limits, streams)
        router.on(path, method: .get) { request, context in
            let query = try request.query(stream, in: context, limits: limits)
            let permit = try streams.permit()
            let values = HandedOver(try await problems.around { try await dispatcher(in: scope).dispatch(query) })
            return streams.response(to: request, permit, problems: problems, logger: context.logger) { send in
                for try await value in values.value { await send(try event(value)) }
                await send(ServerSentEvent("end", data: "{}"))
            }
        }
    }
}

extension RouterMethods {
    /// Returns the routes of this router that dispatch messages.
    ///
    /// - Parameters:
    ///   - container: The container, or a scope, from which the dispatcher of each request is resolved.
    ///   - limits: The limits on requests.
    ///   - problems: The problems for errors of streams whose response has begun.
    ///   - clock: The clock for timeouts and heartbeats.
    /// - Returns: The routes.
    public func messages(
        of container: any DependencyResolutionScope,
        limits: RequestLimits = RequestLimits(),
        problems: ProblemTable = ProblemTable(),
        clock: any TimeSource = ContinuousClock()
    ) -> MessageRoutes<Context> {
        MessageRoutes(router: self, scope: container, limits: limits, problems: problems, clock: clock)
    }
}

/// Returns the dispatcher of a new scope.
func dispatcher(in scope: any DependencyResolutionScope) -> any CommandQueryDispatcher {
    scope.scope().resolve()
}

/// A value that may be `nil`.
private protocol OptionalValue {
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    fileprivate var isNil: Bool { if case nil = self { true } else { false } }
}

/// Routes of an API whose requests and responses differ from its messages.
///
/// The API stays as it is if the messages change. A request is decoded as in the other routes.
extension MessageRoutes {
    /// Adds a route for the method GET that dispatches always the same query.
    ///
    /// - Parameters:
    ///   - path: The path of the route.
    ///   - query: The query.
    ///   - answer: Returns the response for the value of the query.
    public func get<Query: CQDQuery, Answer: ResponseGenerator>(
        _ path: RouterPath,
        query: Query,
        answer: @escaping @Sendable (Query.Value) throws -> Answer
    ) {
        let scope = scope
        router.on(path, method: .get) { request, context in
            try request.requireNoQuery()
            let value = try await dispatcher(in: scope).dispatch(query)
            return try Self.response(answer(value), to: request, in: context)
        }
    }

    /// Adds a route for the method GET that makes a query of its parameters.
    ///
    /// - Parameters:
    ///   - path: The path of the route.
    ///   - parameters: The type of the parameters.
    ///   - query: Returns the query.
    ///   - answer: Returns the response for the value of the query.
    public func get<Parameters: Decodable & Sendable, Query: CQDQuery, Answer: ResponseGenerator>(
        _ path: RouterPath,
        from parameters: Parameters.Type,
        query: @escaping @Sendable (Parameters) throws -> Query,
        answer: @escaping @Sendable (Query.Value, Parameters) throws -> Answer
    ) {
        let (scope, limits) = (scope, limits)
        router.on(path, method: .get) { request, context in
            let parameters = try request.query(parameters, in: context, limits: limits)
            let value = try await dispatcher(in: scope).dispatch(try query(parameters))
            return try Self.response(answer(value, parameters), to: request, in: context)
        }
    }

    /// Adds a route that makes a command of its body and the parameters of its path.
    ///
    /// - Parameters:
    ///   - path: The path of the route.
    ///   - method: The method of the route.
    ///   - body: The type of the body with the parameters of the path.
    ///   - command: Returns the command.
    ///   - answer: Returns the response for the result of the command.
    public func on<Body: Decodable & Sendable, Command: CQDCommand, Answer: ResponseGenerator>(
        _ path: RouterPath,
        method: HTTPRequest.Method,
        from body: Body.Type,
        command: @escaping @Sendable (Body) throws -> Command,
        answer: @escaping @Sendable (Command.Output, Body) throws -> Answer
    ) {
        let (scope, limits, clock) = (scope, limits, clock)
        router.on(path, method: method) { request, context in
            let body = try await request.command(body, in: context, limits: limits, clock: clock)
            let output = try await dispatcher(in: scope).dispatch(try command(body))
            return try Self.response(answer(output, body), to: request, in: context)
        }
    }

    private static func response(
        _ answer: some ResponseGenerator,
        to request: Request,
        in context: Context
    ) throws -> Response {
        var response = try answer.response(from: request, context: context)
        response.headers[.cacheControl] = "no-store"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }
}

/// The response to a command that was handled.
///
/// If the command has a result that is `Encodable`, each response but ``noContent`` has it as its body, encoded by the
/// encoder of the request's context.
public struct CommandResponse<Command: CQDCommand>: Sendable {
    /// The status, or `nil` for 200 with the result, or 204 if there is none.
    let status: HTTPResponse.Status?

    /// Returns the path of the resource that the command has created.
    let location: (@Sendable (Command, Command.Output) -> String)?

    /// The status 200 with the result of the command, or 204 without a body if the command has none.
    public static var automatic: Self { Self(status: nil, location: nil) }

    /// The status 204 without a body.
    public static var noContent: Self { Self(status: .noContent, location: nil) }

    /// The status 202, for a command whose effects aren't complete yet.
    public static var accepted: Self { Self(status: .accepted, location: nil) }

    /// The status 201, with the path of the created resource in the field `Location`.
    public static func created(at location: @escaping @Sendable (Command) -> String) -> Self {
        Self(status: .created) { command, _ in location(command) }
    }

    /// The status 201, with the path of the created resource, which the result names, in the field `Location`.
    public static func created(at location: @escaping @Sendable (Command, Command.Output) -> String) -> Self {
        Self(status: .created, location: location)
    }

    func headers(for command: Command, _ output: Command.Output) -> HTTPFields {
        location.map { [.location: $0(command, output)] } ?? [:]
    }
}
#endif
