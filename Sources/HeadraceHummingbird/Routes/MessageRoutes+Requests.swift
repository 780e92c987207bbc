// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
public import HTTPTypes
public import HeadraceCommands
import HeadraceCore
import HeadraceResolution
public import Hummingbird

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
#endif
