// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution

/// The route from one type of event to one handler, static or an instance.
package struct EventHandlerRoute: Sendable {
    /// The type of the handler.
    let type: Any.Type

    /// Runs the handler, in the task and on the actor of the caller.
    let handle: nonisolated(nonsending) @Sendable (any DomainEvent, HandlingContext) async throws -> Void

    /// Creates the route to a static handler.
    init<Handler: DomainEventHandler>(_ handler: Handler.Type) {
        type = handler
        handle = { event, site in
            if isExactly(event, Handler.Event.self) {
                try await Handler.handle(event: exactly(event, as: Handler.Event.self), resolver: site.resolver)
            } else {
                try await Self.castAndHandle(event, by: handler, at: site)
            }
        }
    }

    /// Runs `handler` if `event` is an object whose class is its event, but which was raised as its superclass.
    ///
    /// Routes are kept by the type of their event, so the cast always succeeds.
    @inline(never)
    private static nonisolated(nonsending) func castAndHandle<Handler: DomainEventHandler>(
        _ event: any DomainEvent,
        by handler: Handler.Type,
        at site: HandlingContext
    ) async throws {
        guard let event = event as? Handler.Event else { return }
        try await Handler.handle(event: event, resolver: site.resolver)
    }

    /// Creates the route to a handler that is created for each event.
    init<Handler: HandlesDomainEvent & Resolvable>(_ handler: Handler.Type) {
        type = handler
        let memory = HandlerMemory()
        handle = { event, site in
            guard let event = event as? Handler.Event else { return }
            let scope = HandlerResolver(site)
            try await scope.make(Handler.self, remembering: memory).handle(event)
            // Keeps the scope alive until here, because scoped objects refer to it weakly.
            withExtendedLifetime(scope) {}
        }
    }
}

/// The context and the resolvers for a handler of one event.
struct HandlingContext {
    /// The resolver of the registrar.
    let base: any DependencyResolver & Sendable

    /// The number of the container of ``base``; 0 if that is no container.
    let containerNumber: UInt

    /// The context of the unit of work, and the type that it is resolved by.
    let context: (any DomainContext)?
    let contextType: Any.Type?

    /// Creates a context for handlers after the commit.
    init(base: any DependencyResolver & Sendable, containerNumber: UInt) {
        self.base = base
        self.containerNumber = containerNumber
        context = nil
        contextType = nil
    }

    /// Creates a context for handlers in a unit of work on `context`.
    init<Context: DomainContext>(
        base: any DependencyResolver & Sendable,
        containerNumber: UInt,
        context: Context
    ) {
        self.base = base
        self.containerNumber = containerNumber
        self.context = context
        contextType = Context.self
    }

    /// The resolver of a static handler: the context of the unit of work, and everything from ``base``.
    var resolver: any DependencyResolver {
        guard let context, let contextType else { return base }
        return ContextResolver(context: context, contextType: contextType, base: base)
    }
}

/// Returns the context of the running unit of work, and resolves everything else from `base`.
private struct ContextResolver: DependencyResolver {
    let context: any DomainContext
    let contextType: Any.Type
    let base: any DependencyResolver

    private func given<T>(_ type: T.Type) -> T? {
        type == contextType ? context as? T : nil
    }

    func tryResolve<T>(_ type: T.Type) -> T? {
        given(type) ?? base.tryResolve(type)
    }

    func resolve<T>(_ type: T.Type) -> T {
        given(type) ?? base.resolve(type)
    }

    func require<T>(_ type: T.Type) throws(ResolutionError) -> T {
        if let context = given(type) { return context }
        return try base.require(type)
    }

    func resolveAll<T>(_ type: T.Type) -> [T] {
        given(type).map { [$0] } ?? base.resolveAll(type)
    }
}
