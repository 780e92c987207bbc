// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution

/// The dispatcher that `standard` registers.
///
/// The handlers are fixed at registration. Without middleware, observers, and scopes per dispatch, a dispatch is one
/// lookup, one handler, and one call. Nothing is queued or retried.
struct StandardDispatcher: CommandQueryDispatcher {
    /// The part that all dispatchers of one registration share.
    ///
    /// It is an object, so that a dispatcher fits into an existential without an allocation.
    final class Configuration: Sendable {
        fileprivate let handlers: HandlerTable
        fileprivate let notifications: NotificationTable
        fileprivate let chain: MiddlewareChain
        fileprivate let hasScopePerDispatch: Bool

        /// Whether nothing surrounds the call of a handler.
        fileprivate let isDirect: Bool

        init(
            handlers: HandlerTable,
            notifications: NotificationTable,
            chain: MiddlewareChain,
            scoping: DispatchScoping
        ) {
            self.handlers = handlers
            self.notifications = notifications
            self.chain = chain
            hasScopePerDispatch = scoping == .perDispatch
            isDirect = chain.isEmpty && scoping == .dispatcher
        }
    }

    let configuration: Configuration
    let scope: any DependencyResolutionScope

    // The handler is made after all middleware has let the message pass. The closures capture local copies and neither `self`
    // nor a capture list, because Swift 6.3 moves a closure with a capture list off the caller's actor.

    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand, T.Output == Void {
        if configuration.isDirect {
            return try await configuration.handlers.handler(of: T.self, in: scope).handle(command)
        }
        let handlers = configuration.handlers
        let scope = handlerScope
        defer { withExtendedLifetime(scope) {} }
        if configuration.chain.isEmpty { return try await handlers.handler(of: T.self, in: scope).handle(command) }
        return try await configuration.chain.run(command, kind: .command) { command in
            try await handlers.handler(of: T.self, in: scope).handle(command)
        }
    }

    @discardableResult
    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws -> T.Output where T: CQDCommand {
        if configuration.isDirect {
            return try await configuration.handlers.handler(of: T.self, in: scope).handle(command)
        }
        let handlers = configuration.handlers
        let scope = handlerScope
        defer { withExtendedLifetime(scope) {} }
        if configuration.chain.isEmpty { return try await handlers.handler(of: T.self, in: scope).handle(command) }
        return try await configuration.chain.run(command, kind: .command) { command in
            try await handlers.handler(of: T.self, in: scope).handle(command)
        }
    }

    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery {
        if configuration.isDirect {
            return try await configuration.handlers.handler(of: T.self, in: scope).handle(query)
        }
        let handlers = configuration.handlers
        let scope = handlerScope
        defer { withExtendedLifetime(scope) {} }
        if configuration.chain.isEmpty { return try await handlers.handler(of: T.self, in: scope).handle(query) }
        return try await configuration.chain.run(query, kind: .query) { query in
            try await handlers.handler(of: T.self, in: scope).handle(query)
        }
    }

    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        let handlers = configuration.handlers
        // The stream keeps the scope.
        let scope = handlerScope
        if configuration.chain.isEmpty {
            return try await handlers.handler(of: T.self, in: scope).start(query, in: scope)
        }
        return try await configuration.chain.run(query, kind: .query) { query in
            let stream = try await handlers.handler(of: T.self, in: scope).start(query, in: scope)
            return stream.handled(as: MessageContext.current)
        }
    }

    nonisolated(nonsending) func publish<T>(_ notification: T, _ policy: PublicationPolicy) async throws
    where T: CQDNotification {
        let handlers = configuration.notifications[T.self]
        let scope = handlerScope
        defer { withExtendedLifetime(scope) {} }
        if configuration.chain.isEmpty { return try await handlers.handle(notification, policy, in: scope) }
        try await configuration.chain.run(notification, kind: .notification) { notification in
            try await handlers.handle(notification, policy, in: scope)
        }
    }

    private var handlerScope: any DependencyResolutionScope {
        configuration.hasScopePerDispatch ? scope.scope() : scope
    }
}

/// The scope in which the standard dispatcher makes its handlers.
public struct DispatchScoping: Sendable, Equatable {
    private enum Choice { case dispatcher, perDispatch }

    private let choice: Choice

    /// The scope from which the dispatcher was resolved.
    ///
    /// This is the default.
    ///
    /// All messages that are dispatched from one scope share its scoped objects. A program opens a scope for each unit
    /// (a request, a window, a job), and a handler that dispatches further messages belongs to the same unit: it finds
    /// the same unit of work and the same user. It also costs nothing, because no scope is opened.
    public static let dispatcher = DispatchScoping(choice: .dispatcher)

    /// A new scope for each dispatch.
    ///
    /// The scope ends with the dispatch or, for a stream query, with the stream.
    ///
    /// All attempts of one dispatch share the scoped objects, for example if middleware retries the message. A message that
    /// a handler dispatches gets a new scope again, so it shares no scoped objects with that handler.
    public static let perDispatch = DispatchScoping(choice: .perDispatch)
}
