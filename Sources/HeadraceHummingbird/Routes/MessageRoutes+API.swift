// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HTTPTypes
public import HeadraceClient
import HeadraceCommands
import HeadraceCore
import HeadraceDomain
import HeadraceInspector
import HeadraceResolution
import HeadraceStorage
import Hummingbird

extension MessageRoutes {
    /// Adds all routes of `api`, for clients with a `RemoteDispatcher`.
    ///
    /// ```swift
    /// try router.messages(of: container).mount(bookingAPI)
    /// ```
    ///
    /// In contrast to the other routes:
    ///
    /// - The JSON has the form of `MessageAPI`, with all coders of the context. A client of this package sends a `DurableCommand` in the
    ///   form in which stores keep it, with its version, and an earlier version is migrated. A value that is `nil` is `null`.
    /// - An error that a route declares is sent with all its members. Its status is in the ``ProblemTable``, or is 422.
    /// - A command with the field `Idempotency-Key` takes effect once, as with an ``IdempotencyKeyMiddleware`` that waits for the first
    ///   request.
    /// - A live query is evaluated again when a commit has changed what it has read through an `EntityContext` of the container's store;
    ///   a query that reads nothing so is evaluated after each commit. Equal queries of principals that are equal (`Equatable`) are
    ///   evaluated once, each time with the rights of that moment.
    /// - The time limit of the client is the deadline of the message, unless an earlier one is set.
    ///
    /// A ``RequestMiddleware`` makes the client's message the cause of the request, if the request has a principal. So an inspector
    /// shows a tap on a phone and its commit on the server as one chain.
    ///
    /// - Throws: `MessageAPIError` if two routes are equal, if a message has no handler, or if a command could take effect twice, because
    ///   the dispatcher has no `IdempotencyMiddleware`.
    public func mount(_ api: MessageAPI) throws {
        try api.validate()
        let problems = HandlerCatalog.problems(of: api.routes.map(\.message), in: scope.registrationNotes)
        if !problems.isEmpty { throw MessageAPIError(problems) }
        let live = try api.routes.first(where: \.isLive).map { LiveValues(of: try observableStore(for: $0)) }
        let keys = IdempotencyKeyMiddleware<Context>(waitsForFirst: true)
        for route in api.routes { route.accept(MountedRoutes(messages: self, keys: keys, live: live)) }
    }

    private func observableStore(for route: MessageRoute) throws -> any ObservableStore {
        let store: (any EntityStore)? = scope.resolve()
        if let observable = store?.observable { return observable }
        throw MessageAPIError(["The container has no store whose commits tell when '\(route)' has a new value."])
    }
}

/// Adds the routes of an API to a router.
private struct MountedRoutes<Context: RequestContext>: MessageRouteVisitor {
    let messages: MessageRoutes<Context>
    let keys: IdempotencyKeyMiddleware<Context>

    /// The live queries; `nil` if the API has none.
    let live: LiveValues?

    func visit<Command: CQDCommand & Codable>(command: Command.Type, of route: MessageRoute) {
        let (scope, limits, clock, keys) = (messages.scope, messages.limits, messages.clock, keys)
        let problems = DeclaredProblems(messages.problems, route.errors)
        messages.router.on(RouterPath(route.path), method: route.method) { request, context in
            try await problems.around {
                let command = try await request.command(command, in: context, limits: limits, clock: clock)
                return try await withTimeLimit(of: request, clock: clock) {
                    try await keys.handle(request, context: context) { _, _ in
                        let output = try await dispatcher(in: scope).dispatch(command)
                        guard let type = Command.Output.self as? any Encodable.Type else {
                            return Response(status: .noContent)
                        }
                        return try response(output, as: type)
                    }
                }
            }
        }
    }

    func visit<Query: CQDQuery & Codable>(query: Query.Type, of route: MessageRoute) where Query.Value: Codable {
        let (scope, limits, clock, streams, live) = (
            messages.scope, messages.limits, messages.clock, messages.streams, live
        )
        let problems = DeclaredProblems(messages.problems, route.errors)
        messages.router.on(RouterPath(route.path), method: route.method) { request, context in
            try await problems.around {
                let query = try request.query(query, in: context, limits: limits)
                guard route.isLive, let live, request.acceptsOnlyEvents else {
                    return try await withTimeLimit(of: request, clock: clock) {
                        try response(try await dispatcher(in: scope).dispatch(query))
                    }
                }
                let permit = try streams.permit()
                let events = try live.events(of: query, after: request.headers[.lastEventID]) {
                    try MessageJSON.encode(try await dispatcher(in: scope).dispatch(query))
                }
                // The first value is awaited, so that its error is the response.
                var iterator = events.makeAsyncIterator()
                guard let first = try await iterator.next() else { throw CancellationError() }
                let rest = HandedOver(iterator)
                return streams.response(to: request, permit, problems: problems, logger: context.logger) { send in
                    if let first { await send(first) }
                    var events = rest.value
                    while let event = try await events.next() {
                        if let event { await send(event) }
                    }
                }
            }
        }
    }

    func visit<Query: CQDStreamQuery & Codable>(stream: Query.Type, of route: MessageRoute)
    where Query.Element: Codable {
        messages.addStream(RouterPath(route.path), stream, problems: DeclaredProblems(messages.problems, route.errors))
        {
            ServerSentEvent(data: String(decoding: try MessageJSON.encode($0), as: UTF8.self))
        }
    }
}

extension Request {
    /// Whether the client understands nothing but events, like an `EventSource` of a browser.
    fileprivate var acceptsOnlyEvents: Bool {
        headers[.accept]?.trimmingCharacters(in: .whitespaces).lowercased() == "text/event-stream"
    }

    /// Decodes a command of an API from the parameters of the path and from the body.
    ///
    /// A client of this package sends a durable command as it is stored, with its version. Other clients send the JSON of the API.
    fileprivate func command<Command: CQDCommand & Codable>(
        _ type: Command.Type,
        in context: some RequestContext,
        limits: RequestLimits,
        clock: any TimeSource
    ) async throws -> Command {
        guard let field = headers[.commandVersion], let durable = type as? any DurableCommand.Type else {
            return try await command(type, in: context, by: MessageJSON.decoder, limits: limits, clock: clock)
        }
        guard let version = Int(field), version >= 1 else {
            throw Problem.malformed("The field 'Headrace-Version' must be 1 or more. To fix, correct or omit it.")
        }
        return try await storedCommand(
            type, as: durable, version: version, in: context, limits: limits, clock: clock)
    }
}

/// Runs `operation` with the deadline that the client of `request` states.
private nonisolated(nonsending) func withTimeLimit(
    of request: Request,
    clock: any TimeSource,
    _ operation: nonisolated(nonsending) () async throws -> Response
) async throws -> Response {
    guard let limit = try request.timeLimit(in: .messageTimeLimit) else { return try await operation() }
    return try await MessageContext.withDeadline(clock.now.advanced(by: limit), operation)
}

/// Returns the response with `output`, a value of `type`.
///
/// A cast of the value alone would fail for `nil`.
private func response<Value: Encodable>(_ output: Any, as type: Value.Type) throws -> Response {
    guard let value = output as? Value else { return Response(status: .noContent) }
    return try response(value)
}

private func response(_ value: some Encodable) throws -> Response {
    Response(
        status: .ok,
        headers: [
            .contentType: "application/json; charset=utf-8", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        ],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: try MessageJSON.encode(value)))
    )
}
#endif
