// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceResolution

/// Registers a ``CommandQueryDispatcher``.
///
/// Create it with `commandQueryDispatch()` of a registry.
public struct CommandQueryDispatchRegistration {
    let registry: any DependencyRegistry

    /// Registers the standard dispatcher as transient, with these handlers.
    ///
    /// Each dispatch makes a handler, in the task and on the actor of the caller.
    ///
    /// ```swift
    /// builder.commandQueryDispatch().standard(
    ///     commandHandlers: [AddSomethingCommandHandler.self],
    ///     queryHandlers: [GetInfoQueryHandler.self],
    ///     middleware: [Announcing()]
    /// )
    /// ```
    ///
    /// - If a message has several handlers, the last handler is used. This method logs a warning, and `validate()` of the
    ///   builder reports a problem. `validate()` also reports missing dependencies of the handlers.
    /// - Middleware wraps each message in the order of the list; the first middleware is the outermost. The handler is made
    ///   after all middleware has let the message pass. `validate()` reports middleware that has no effect in its position.
    ///   Observers surround all middleware.
    /// - If a stated dependency of a handler is missing, the dispatch throws a `ResolutionError`.
    /// - With middleware or observers, each message has a `MessageContext`. Without them, messages have no context, and
    ///   deadlines are ignored.
    ///
    /// - Parameters:
    ///   - commandHandlers: Types that handle commands.
    ///   - queryHandlers: Types that handle queries.
    ///   - streamHandlers: Types that handle stream queries.
    ///   - notificationHandlers: Types that handle notifications. The handlers of one notification run in this order.
    ///   - messages: Types of messages that the application sends. `validate()` reports those without a handler. A message
    ///     can be dispatched without being listed; if it has no handler, the dispatch throws.
    ///   - middleware: Middleware around each message, the outermost first.
    ///   - resolvedMiddleware: Types of middleware that are registered in the container, such as the `IdempotencyMiddleware`
    ///     of a domain. Each dispatcher resolves them from its scope when it is made. They are inside all of `middleware`,
    ///     the outermost first.
    ///   - observers: Observers that are notified of each message.
    ///   - scoping: The scope in which handlers are made.
    ///   - clock: The clock for deadlines and durations.
    public func standard(
        commandHandlers: [any (HandlesCommand & Resolvable).Type] = [],
        queryHandlers: [any (HandlesQuery & Resolvable).Type] = [],
        streamHandlers: [any (HandlesStreamQuery & Resolvable).Type] = [],
        notificationHandlers: [any (HandlesNotification & Resolvable).Type] = [],
        messages: [any DispatchedMessage.Type] = [],
        middleware: [any Middleware] = [],
        resolvedMiddleware: [any Middleware.Type] = [],
        observers: [any MessageObserver] = [],
        scoping: DispatchScoping = .dispatcher,
        clock: any TimeSource = CurrentClock()
    ) {
        let catalog = HandlerCatalog(
            commandHandlers: commandHandlers,
            queryHandlers: queryHandlers,
            streamHandlers: streamHandlers,
            messages: messages
        )
        catalog.logDuplicates()
        var registration = Registration(
            transient: (any CommandQueryDispatcher).self,
            dependencies: resolvedMiddleware.reduce(Dependencies()) { Self.adding($1, to: $0) },
            factory: Self.makeDispatcher(
                handlers: HandlerTable(catalog.handlers),
                notifications: NotificationTable(notificationHandlers),
                chain: MiddlewareChain(middleware: middleware, observers: observers, clock: clock),
                resolvedMiddleware: resolvedMiddleware,
                scoping: scoping
            )
        )
        registration.parts = catalog.handlers.map(\.part) + notificationHandlers.map { Self.part($0) }
        registration.notes =
            catalog.entries + [
                MiddlewareOrder(
                    middleware: middleware.map { type(of: $0) } + resolvedMiddleware,
                    catalog: catalog
                )
            ]
        registry.register(registration)
    }

    private static func makeDispatcher(
        handlers: HandlerTable,
        notifications: NotificationTable,
        chain: MiddlewareChain,
        resolvedMiddleware: [any Middleware.Type],
        scoping: DispatchScoping
    ) -> @Sendable (any DependencyResolutionScope) -> any CommandQueryDispatcher {
        let configuration = StandardDispatcher.Configuration(
            handlers: handlers,
            notifications: notifications,
            chain: chain,
            scoping: scoping
        )
        if resolvedMiddleware.isEmpty { return { StandardDispatcher(configuration: configuration, scope: $0) } }
        return { scope in
            let inner = resolvedMiddleware.map { resolve($0, from: scope) }
            return StandardDispatcher(
                configuration: StandardDispatcher.Configuration(
                    handlers: handlers,
                    notifications: notifications,
                    chain: chain.appending(inner),
                    scoping: scoping
                ),
                scope: scope
            )
        }
    }

    private static func part<Handler: HandlesNotification & Resolvable>(_ handler: Handler.Type) -> RegistrationPart {
        RegistrationPart(handler)
    }

    private static func adding<M: Middleware>(_ middleware: M.Type, to dependencies: Dependencies) -> Dependencies {
        dependencies.on(middleware)
    }

    private static func resolve<M: Middleware>(
        _ middleware: M.Type,
        from scope: any DependencyResolutionScope
    ) -> any Middleware {
        scope.resolve(middleware)
    }
}

extension DependencyRegistry {
    /// Starts the registration of a dispatcher for commands and queries.
    public func commandQueryDispatch() -> CommandQueryDispatchRegistration {
        CommandQueryDispatchRegistration(registry: self)
    }
}

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension CommandQueryDispatchRegistration {
    /// Explains how a handler becomes resolvable.
    @available(
        *, unavailable,
        message: """
            A handler isn't 'Resolvable', so a scope can't create it. To fix, write '@Resolvable' before each \
            handler.
            """
    )
    @_documentation(visibility: internal)
    public func standard(
        commandHandlers: [any HandlesCommand.Type] = [],
        queryHandlers: [any HandlesQuery.Type] = [],
        streamHandlers: [any HandlesStreamQuery.Type] = [],
        notificationHandlers: [any HandlesNotification.Type] = [],
        messages: [any DispatchedMessage.Type] = [],
        middleware: [any Middleware] = [],
        resolvedMiddleware: [any Middleware.Type] = [],
        observers: [any MessageObserver] = [],
        scoping: DispatchScoping = .dispatcher,
        clock: any TimeSource = CurrentClock()
    ) {}

    /// Explains which types each list takes.
    @available(
        *, unavailable,
        message: """
            A list contains a type that doesn't belong there. To fix, put types that conform to 'HandlesCommand' \
            into 'commandHandlers', 'HandlesQuery' into 'queryHandlers', 'HandlesStreamQuery' into 'streamHandlers', \
            and 'HandlesNotification' into 'notificationHandlers'.
            """
    )
    @_documentation(visibility: internal)
    public func standard(
        commandHandlers: [Any.Type] = [],
        queryHandlers: [Any.Type] = [],
        streamHandlers: [Any.Type] = [],
        notificationHandlers: [Any.Type] = [],
        messages: [any DispatchedMessage.Type] = [],
        middleware: [any Middleware] = [],
        resolvedMiddleware: [any Middleware.Type] = [],
        observers: [any MessageObserver] = [],
        scoping: DispatchScoping = .dispatcher,
        clock: any TimeSource = CurrentClock()
    ) {}
}
