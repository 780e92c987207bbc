// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution

/// The routes of a dispatcher to its handlers, by the type of their message.
final class HandlerTable: Sendable {
    private let routes: TypeTable<AnyHandlerRoute>

    /// Creates a table.
    ///
    /// If several handlers take the same message, the last one handles it.
    init(_ handlers: [RegisteredHandler]) {
        routes = TypeTable(handlers.map { (ObjectIdentifier($0.message), $0.route) })
    }

    /// Makes the handler of a command in `scope`.
    ///
    /// - Throws: `DispatchError` if no handler is registered; `ResolutionError` if a stated dependency of the handler is
    ///   missing.
    @inline(__always)
    func handler<T: CQDCommand>(of command: T.Type, in scope: any DependencyResolutionScope) throws
        -> any HandlesCommand<T>
    {
        try makeHandler(from: .commandHandlers, of: command, in: scope)
    }

    /// Makes the handler of a query in `scope`.
    ///
    /// - Throws: The same errors as for a command.
    @inline(__always)
    func handler<T: CQDQuery>(of query: T.Type, in scope: any DependencyResolutionScope) throws -> any HandlesQuery<T> {
        try makeHandler(from: .queryHandlers, of: query, in: scope)
    }

    /// Makes the handler of a stream query in `scope`.
    ///
    /// - Throws: The same errors as for a command.
    @inline(__always)
    func handler<T: CQDStreamQuery>(of query: T.Type, in scope: any DependencyResolutionScope) throws
        -> any HandlesStreamQuery<T>
    {
        try makeHandler(from: .streamHandlers, of: query, in: scope)
    }

    /// Makes the handler of `message`, which must have been registered in `list`.
    ///
    /// `Handler` is inferred and no parameter, because a type as a value is looked up at run time.
    @inline(__always)
    private func makeHandler<Handler>(
        from list: HandlerList,
        of message: any DispatchedMessage.Type,
        in scope: any DependencyResolutionScope
    ) throws -> Handler {
        guard let route = unsafe routes.unretained(message) else {
            throw DispatchError.noHandler(for: message, in: list)
        }
        // The message and the list determine the type of the route: see `RegisteredHandler`. The table keeps the route
        // during the call.
        return try unsafe route._withUnsafeGuaranteedRef { route in
            guard route.list == list else { throw DispatchError.noHandler(for: message, in: list) }
            return try unsafe unsafeDowncast(route, to: HandlerRoute<Handler>.self).makeHandler(in: scope)
        }
    }
}
