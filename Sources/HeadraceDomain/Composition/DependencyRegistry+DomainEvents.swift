// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceResolution

extension DependencyRegistry {
    /// Registers a `DomainEventHandlerRegistrar` with these handlers, as a singleton, also as `any DomainEventDelegator`.
    ///
    /// ```swift
    /// builder.domainEvents(handlers: [NotifyCustomer.self, ConfirmOrder.self])
    /// ```
    ///
    /// `validate()` proves the dependencies of `handlers`, and the graph shows events, subscriptions, and handlers.
    /// Static handlers resolve by hand: the graph shows them as opaque.
    ///
    /// - Parameters:
    ///   - events: Events that must have a handler: `validate(.strict)` reports durable ones without one. Omit the events of
    ///     `handlers`. List also a durable event that is only scheduled.
    ///   - handlers: The types whose instances handle events.
    ///   - staticHandlers: The types that handle events by a static function.
    ///   - observers: Are notified of each unit of work, its events, handlers, and commit.
    public func domainEvents(
        events: [any DomainEvent.Type] = [],
        handlers: [any (HandlesDomainEvent & Resolvable).Type] = [],
        staticHandlers: [any DomainEventHandler.Type] = [],
        observers: [any MessageObserver] = []
    ) {
        let catalog = EventCatalog(events: events, handlers: handlers, staticHandlers: staticHandlers)
        var registration = Registration(
            singleton: DomainEventHandlerRegistrar.self,
            dependencies: Dependencies()
        ) { scope in
            let registrar = DomainEventHandlerRegistrar(resolver: scope, observers: observers)
            catalog.register(in: registrar)
            return registrar
        }
        registration.parts = catalog.parts
        registration.notes = [catalog]
        register(registration)
        singleton((any DomainEventDelegator).self, assigned(DomainEventHandlerRegistrar.self))
    }
}
