//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceResolution
import Logging
import Synchronization

/// Brings each domain event to the handlers registered for its type.
///
/// ```swift
/// let registrar = DomainEventHandlerRegistrar(resolver: services)
/// registrar.register(OrderPlacedHandler.self)
/// ```
///
/// It may be shared; handlers may be registered while units of work run, and see the events from then on.
public final class DomainEventHandlerRegistrar: DomainEventDelegator {
    private struct Handlers {
        var beforeCommit: [any DomainEventHandler.Type] = []
        var afterCommit: [any DomainEventHandler.Type] = []
    }

    private let resolver: any DependencyResolver & Sendable
    private let handlers = Mutex<[ObjectIdentifier: Handlers]>([:])

    /// Creates a registrar whose handlers get what they need from `resolver`.
    public init(resolver: any DependencyResolver & Sendable) {
        self.resolver = resolver
    }

    /// Registers `handler` for its type of event.
    ///
    /// Registering it again changes nothing.
    public func register<Handler: DomainEventHandler>(_ handler: Handler.Type) {
        let list: WritableKeyPath<Handlers, [any DomainEventHandler.Type]> =
            Handler.isPostCommit ? \.afterCommit : \.beforeCommit
        handlers.withLock { handlers in
            let registered = handlers[ObjectIdentifier(Handler.Event.self)]?[keyPath: list] ?? []
            if registered.contains(where: { $0 == Handler.self }) { return }
            handlers[ObjectIdentifier(Handler.Event.self), default: Handlers()][keyPath: list].append(handler)
        }
    }

    /// Runs the pre-commit handlers of the type of `event`, one after the other.
    ///
    /// - Throws: What the first one that fails throws; the others do not run.
    public nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws {
        let resolver = ContextResolver(context: context, base: resolver)
        for handler in handlers(of: event).beforeCommit {
            try await handle(event, by: handler, resolver: resolver)
        }
    }

    /// Runs the post-commit handlers of the type of `event`, one after the other; logs what fails.
    public nonisolated(nonsending) func handleAfterCommit(_ event: any DomainEvent) async {
        for handler in handlers(of: event).afterCommit {
            do {
                try await handle(event, by: handler, resolver: resolver)
            } catch {
                Logger.current.error(
                    "A post-commit handler failed. The changes are stored; the other handlers go on.",
                    metadata: [
                        "headrace.event": "\(String(reflecting: type(of: event)))",
                        "headrace.handler": "\(String(reflecting: handler))",
                        "error": "\(error)",
                    ]
                )
            }
        }
    }

    private func handlers(of event: any DomainEvent) -> Handlers {
        handlers.withLock { $0[ObjectIdentifier(type(of: event))] } ?? Handlers()
    }

    private nonisolated(nonsending) func handle<Handler: DomainEventHandler>(
        _ event: any DomainEvent,
        by handler: Handler.Type,
        resolver: any DependencyResolver
    ) async throws {
        // Handlers are kept by the type of their event, so the cast always succeeds.
        if let event = event as? Handler.Event {
            try await handler.handle(event: event, resolver: resolver)
        }
    }
}

/// Gives the context of the running unit of work, and from `base` everything else.
private struct ContextResolver<Context: DomainContext>: DependencyResolver {
    let context: Context
    let base: any DependencyResolver

    func tryResolve<T>(_ type: T.Type) -> T? {
        type == Context.self ? context as? T : base.tryResolve(type)
    }

    func resolve<T>(_ type: T.Type) -> T {
        if type == Context.self, let context = context as? T { return context }
        return base.resolve(type)
    }
}
