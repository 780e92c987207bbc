// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution

/// Makes the handler of messages of one type.
///
/// `Handler` is `any HandlesCommand<Message>`, or the same of a query, a stream query, or a notification. A route only makes the
/// handler and doesn't call it, because each asynchronous function between the dispatcher and the handler costs a frame.
final class HandlerRoute<Handler>: Sendable {
    /// The type of the handler.
    let type: Any.Type

    private let proof = ProofMemory()
    private let make: @Sendable (any DependencyResolutionScope, borrowing ProofMemory) throws -> Handler

    /// Creates a route to handlers of the type `type`, which `handler` only converts.
    init<Made: Resolvable>(_ type: Made.Type, as handler: @escaping @Sendable (Made) -> Handler) {
        self.type = type
        make = { scope, proof in
            try proof.check(Made.self, in: scope)
            return handler(Made(scope: scope))
        }
    }

    /// Makes a handler in `scope`.
    ///
    /// A missing dependency is a mistake in the composition; it fails the message and not the process. A proof that the
    /// dependencies exist holds as long as the container exists. A dispatcher must not outlive its container.
    ///
    /// - Throws: `ResolutionError` if a stated dependency of the handler is missing.
    func makeHandler(in scope: any DependencyResolutionScope) throws -> Handler {
        try make(scope, proof)
    }
}

/// The route of commands of one type.
///
/// The table finds it by a cast, which takes less time for a class of the command than for a class of `any HandlesCommand<…>`.
final class CommandHandlerRoute<Command: CQDCommand>: Sendable {
    let route: HandlerRoute<any HandlesCommand<Command>>

    init<Handler: HandlesCommand & Resolvable>(_ handler: Handler.Type) where Handler.Command == Command {
        route = HandlerRoute(handler) { $0 }
    }
}

/// The route of queries of one type.
final class QueryHandlerRoute<Query: CQDQuery>: Sendable {
    let route: HandlerRoute<any HandlesQuery<Query>>

    init<Handler: HandlesQuery & Resolvable>(_ handler: Handler.Type) where Handler.Query == Query {
        route = HandlerRoute(handler) { $0 }
    }
}

/// The routes of a dispatcher to its handlers, by the type of their message.
///
/// It is an object, because each copy of a dictionary counts a reference, for which all tasks would wait.
final class HandlerTable: Sendable {
    private let routes: [ObjectIdentifier: any AnyObject & Sendable]

    /// Creates a table.
    ///
    /// If several handlers take the same message, the last one handles it.
    init(_ handlers: [RegisteredHandler]) {
        routes = Dictionary(handlers.map { (ObjectIdentifier($0.message), $0.route) }) { $1 }
    }

    /// Makes the handler of a command in `scope`.
    ///
    /// - Throws: `DispatchError` if no handler is registered; `ResolutionError` if a stated dependency of the handler is
    ///   missing.
    func handler<T: CQDCommand>(of command: T.Type, in scope: any DependencyResolutionScope) throws
        -> any HandlesCommand<T>
    {
        guard let route = (routes[ObjectIdentifier(command)] as? CommandHandlerRoute<T>)?.route else {
            throw DispatchError.noHandler(for: command, in: .commandHandlers)
        }
        return try route.makeHandler(in: scope)
    }

    /// Makes the handler of a query in `scope`.
    ///
    /// - Throws: The same errors as for a command.
    func handler<T: CQDQuery>(of query: T.Type, in scope: any DependencyResolutionScope) throws -> any HandlesQuery<T> {
        guard let route = (routes[ObjectIdentifier(query)] as? QueryHandlerRoute<T>)?.route else {
            throw DispatchError.noHandler(for: query, in: .queryHandlers)
        }
        return try route.makeHandler(in: scope)
    }

    /// Makes the handler of a stream query in `scope`.
    ///
    /// - Throws: The same errors as for a command.
    func handler<T: CQDStreamQuery>(of query: T.Type, in scope: any DependencyResolutionScope) throws
        -> any HandlesStreamQuery<T>
    {
        guard let route = routes[ObjectIdentifier(query)] as? HandlerRoute<any HandlesStreamQuery<T>> else {
            throw DispatchError.noHandler(for: query, in: .streamHandlers)
        }
        return try route.makeHandler(in: scope)
    }
}

/// A type of handler as it was registered: its message, its dependencies, and its route.
struct RegisteredHandler: Sendable {
    /// The type of the handler.
    let type: Any.Type

    /// The type of the message.
    let message: any DispatchedMessage.Type

    /// The dependencies that the handler states.
    private(set) var part: RegistrationPart

    /// The route of messages of the type ``message``.
    let route: any AnyObject & Sendable

    init<Handler: HandlesCommand & Resolvable>(command handler: Handler.Type) {
        self.init(handler, of: Handler.Command.self, route: CommandHandlerRoute(handler))
        if Handler.Command.Output.self != Void.self {
            part.remark += ", returns \(String(naming: Handler.Command.Output.self))"
        }
    }

    init<Handler: HandlesQuery & Resolvable>(query handler: Handler.Type) {
        self.init(handler, of: Handler.Query.self, route: QueryHandlerRoute(handler))
    }

    init<Handler: HandlesStreamQuery & Resolvable>(streamQuery handler: Handler.Type) {
        let route = HandlerRoute<any HandlesStreamQuery<Handler.Query>>(handler) { $0 }
        self.init(handler, of: Handler.Query.self, route: route)
    }

    private init<Handler: Resolvable>(
        _ handler: Handler.Type,
        of message: any DispatchedMessage.Type,
        route: any AnyObject & Sendable
    ) {
        type = handler
        self.message = message
        part = RegistrationPart(handler)
        self.route = route
    }
}

/// The parameter of `standard(…)` that lists the handlers of a type of message.
enum HandlerList: String {
    case commandHandlers, queryHandlers, streamHandlers

    /// The list for the handlers of `message`.
    init(for message: any DispatchedMessage.Type) {
        self =
            switch message {
            case is any CQDCommand.Type: .commandHandlers
            case is any CQDQuery.Type: .queryHandlers
            default: .streamHandlers
            }
    }
}
