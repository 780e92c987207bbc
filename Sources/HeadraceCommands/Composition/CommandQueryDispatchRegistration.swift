//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
public import HeadraceResolution

/// Registers a ``CommandQueryDispatcher``; `commandQueryDispatch()` of a registry begins it.
public struct CommandQueryDispatchRegistration {
    let registry: any DependencyRegistry

    /// Registers the standard dispatcher, as transient, with these handlers.
    ///
    /// Each dispatch makes its handler in the task and on the actor of the caller.
    ///
    /// ```swift
    /// builder.commandQueryDispatch().standard(
    ///     commandHandlers: [AddSomethingCommandHandler.self],
    ///     queryHandlers: [GetInfoQueryHandler.self],
    ///     middleware: [Announcing()]
    /// )
    /// ```
    ///
    /// - Where two handlers take the same message, the last one does; that is logged as a warning, here, and a
    ///   problem to `validate()` of the builder, which also finds what the handlers need and nothing gives.
    /// - Middleware wraps each message in the order of the list: the first one is the outermost. The handler is made
    ///   when the last one lets the message pass. One that does nothing where it stands is a problem to `validate()`.
    ///   Observers are told of what happens around all of it.
    /// - If a stated dependency of a handler is missing, the dispatch throws a `ResolutionError`. `validate()` reports it
    ///   before that.
    /// - With middleware or observers each message has a `MessageContext`. Without, nothing is made for it, and a
    ///   deadline is not looked at: the dispatcher is then another one, which knows nothing of either.
    ///
    /// - Parameters:
    ///   - commandHandlers: The types that carry out commands.
    ///   - queryHandlers: The types that answer queries.
    ///   - streamHandlers: The types that answer stream queries.
    ///   - messages: The messages that the application sends. `validate()` reports each that nothing handles; whether they
    ///     are listed or not, dispatching one that nothing handles throws.
    ///   - middleware: What wraps the handling of each message, the outermost first.
    ///   - resolvedMiddleware: Types of middleware that are registered in the container, such as the `IdempotencyMiddleware`
    ///     of a domain. Each dispatcher resolves them from its scope when it is made. They stand within all of `middleware`,
    ///     the outermost first.
    ///   - observers: What is told of each message.
    ///   - scoping: Which scope a handler is made in: the dispatcher's, unless said otherwise.
    ///   - clock: Tells when a deadline has passed and how long a message took.
    public func standard(
        commandHandlers: [any (HandlesCommand & Resolvable).Type] = [],
        queryHandlers: [any (HandlesQuery & Resolvable).Type] = [],
        streamHandlers: [any (HandlesStreamQuery & Resolvable).Type] = [],
        messages: [any DispatchedMessage.Type] = [],
        middleware: [any Middleware] = [],
        resolvedMiddleware: [any Middleware.Type] = [],
        observers: [any MessageObserver] = [],
        scoping: DispatchScoping = .dispatcher,
        clock: any TimeSource = ContinuousClock()
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
                chain: MiddlewareChain(middleware: middleware, observers: observers, clock: clock),
                resolvedMiddleware: resolvedMiddleware,
                scoping: scoping
            )
        )
        registration.parts = catalog.handlers.map(\.part)
        registration.notes =
            catalog.entries + [
                MiddlewareOrder(
                    middleware: middleware.map { type(of: $0) } + resolvedMiddleware,
                    commands: catalog.entries.map(\.message).filter { $0 is any CQDCommand.Type }
                )
            ]
        registry.register(registration)
    }

    private static func makeDispatcher(
        handlers: HandlerTable,
        chain: MiddlewareChain,
        resolvedMiddleware: [any Middleware.Type],
        scoping: DispatchScoping
    ) -> @Sendable (any DependencyResolutionScope) -> any CommandQueryDispatcher {
        let configuration = StandardDispatcher.Configuration(handlers: handlers, chain: chain, scoping: scoping)
        if resolvedMiddleware.isEmpty { return { StandardDispatcher(configuration: configuration, scope: $0) } }
        return { scope in
            let inner = resolvedMiddleware.map { resolve($0, from: scope) }
            return StandardDispatcher(
                configuration: StandardDispatcher.Configuration(
                    handlers: handlers,
                    chain: chain.appending(inner),
                    scoping: scoping
                ),
                scope: scope
            )
        }
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
    /// Begins the registration of a command and query dispatcher.
    public func commandQueryDispatch() -> CommandQueryDispatchRegistration {
        CommandQueryDispatchRegistration(registry: self)
    }
}
