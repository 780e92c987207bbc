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

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension DependencyRegistry {
    /// Explains how a handler becomes resolvable.
    @available(
        *, unavailable,
        message: """
            A handler isn't 'Resolvable', so a scope can't create it. To fix, write '@Resolvable' before each \
            handler.
            """
    )
    @_documentation(visibility: internal)
    public func domainEvents(
        events: [any DomainEvent.Type] = [],
        handlers: [any HandlesDomainEvent.Type] = [],
        staticHandlers: [any DomainEventHandler.Type] = [],
        observers: [any MessageObserver] = []
    ) {}

    /// Explains which types each list takes.
    @available(
        *, unavailable,
        message: """
            A list contains a type that doesn't belong there. To fix, put types that conform to 'DomainEvent' into \
            'events', 'HandlesDomainEvent' into 'handlers', and 'DomainEventHandler' into 'staticHandlers'.
            """
    )
    @_documentation(visibility: internal)
    public func domainEvents(
        events: [Any.Type] = [],
        handlers: [Any.Type] = [],
        staticHandlers: [Any.Type] = [],
        observers: [any MessageObserver] = []
    ) {}
}

/// The events and handlers of one declaration, for the graph and its validation.
struct EventCatalog: Sendable {
    let events: [any DomainEvent.Type]
    let handlers: [any (HandlesDomainEvent & Resolvable).Type]
    let staticHandlers: [any DomainEventHandler.Type]

    /// Registers everything in `registrar`.
    func register(in registrar: DomainEventHandlerRegistrar) {
        for event in events + eventsOfOtherHandlers {
            if let event = event as? any DurableDomainEvent.Type { registrar.declare(event) }
        }
        for handler in handlers { Self.register(handler, in: registrar) }
        for handler in staticHandlers { registrar.register(handler) }
    }

    private static func register<H: HandlesDomainEvent & Resolvable>(
        _ handler: H.Type,
        in registrar: DomainEventHandlerRegistrar
    ) {
        registrar.register(handler)
    }

    /// A part for each event, with its handlers and subscriptions below.
    var parts: [RegistrationPart] {
        var order: [ObjectIdentifier] = []
        var parts: [ObjectIdentifier: RegistrationPart] = [:]
        func add(_ event: any DomainEvent.Type, _ handler: RegistrationPart?) {
            let id = ObjectIdentifier(event)
            if parts[id] == nil {
                order.append(id)
                parts[id] = RegistrationPart(event, Dependencies())
                parts[id]?.remark = "event"
            }
            if let handler { parts[id]?.parts.append(handler) }
        }
        for event in events { add(event, nil) }
        for handler in handlers { add(Self.event(of: handler), Self.part(handler)) }
        for handler in staticHandlers { add(Self.event(ofStatic: handler), Self.part(static: handler)) }
        return order.compactMap { parts[$0] }
    }

    /// The events of handlers that aren't durable, which don't register their events.
    ///
    /// Such an event can be scheduled, and an inspector checks its corrected JSON.
    private var eventsOfOtherHandlers: [any DomainEvent.Type] {
        handlers.filter { !($0 is any HandlesDurableDomainEvent.Type) }.map { Self.event(of: $0) }
            + staticHandlers.filter { !($0 is any DurableDomainEventHandler.Type) }.map { Self.event(ofStatic: $0) }
    }

    /// The events that have a handler.
    var handledEvents: [any DomainEvent.Type] {
        handlers.map { Self.event(of: $0) } + staticHandlers.map { Self.event(ofStatic: $0) }
    }

    private static func event<H: HandlesDomainEvent>(of handler: H.Type) -> any DomainEvent.Type { H.Event.self }

    private static func event<H: DomainEventHandler>(ofStatic handler: H.Type) -> any DomainEvent.Type { H.Event.self }

    private static func part<H: HandlesDomainEvent & Resolvable>(_ handler: H.Type) -> RegistrationPart {
        let timing = HandlerTiming(of: handler)
        // Before the commit and in a delivery, the unit of work provides its context.
        let isGivenContext = if case .afterCommit = timing { false } else { true }
        let own = handler.ownDependencies
        let part = RegistrationPart(handler, isGivenContext ? own.without(EntityContext.self) : own)
        return placed(part, timing, of: H.Event.self)
    }

    private static func part<H: DomainEventHandler>(static handler: H.Type) -> RegistrationPart {
        let isDurable = handler is any DurableDomainEventHandler.Type
        var part = RegistrationPart(handler, .unknown)
        part.advice = """
            It is a static event handler, which resolves by hand. To fix, make it a '@Resolvable' type that conforms \
            to '\(isDurable ? "HandlesDurableDomainEvent" : "HandlesDomainEvent")'.
            """
        return placed(part, HandlerTiming(of: handler), of: H.Event.self)
    }

    /// The part of a handler, below its subscription if it has one.
    private static func placed(
        _ part: RegistrationPart,
        _ timing: HandlerTiming,
        of event: any DomainEvent.Type
    ) -> RegistrationPart {
        var handler = part
        handler.remark = timing.remark
        guard case .subscribed(let name, _) = timing else { return handler }
        var subscription = RegistrationPart(event, Dependencies())
        subscription.label = name
        subscription.remark = "subscription"
        subscription.parts = [handler]
        return subscription
    }
}

/// A note about events that are consumed in another way than by handlers.
package protocol EventConsumerNote: RegistrationNote {
    /// The types of the events.
    var consumedEvents: [any DomainEvent.Type] { get }
}

extension EventCatalog: RegistrationNote {
    /// Returns each mistake in the declarations of handlers.
    static func problems(in notes: [EventCatalog]) -> [CompositionProblem] {
        notes.flatMap { note in
            let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
            note.register(in: registrar)
            return registrar.mistakes.map { CompositionProblem(.invalidSubscription, path: [], message: $0) }
        }
    }

    /// Returns each durable event without a handler.
    static func unproved(in notes: [EventCatalog], among all: [any RegistrationNote]) -> [CompositionProblem] {
        let consumed = all.flatMap { ($0 as? any EventConsumerNote)?.consumedEvents ?? [] }
        let handled = Set((notes.flatMap(\.handledEvents) + consumed).map { ObjectIdentifier($0) })
        return notes.flatMap(\.events)
            .filter { $0 is any DurableDomainEvent.Type && !handled.contains(ObjectIdentifier($0)) }
            .map { .unhandled($0) }
    }
}

extension CompositionProblem {
    fileprivate static func unhandled(_ event: Any.Type) -> CompositionProblem {
        CompositionProblem(
            .unhandledEvent,
            path: [event],
            message: """
                The durable event '\(String(naming: event))' has no handler in this program. To fix, add one to \
                'handlers: […]', or remove the event from 'events: […]'.
                """
        )
    }
}

extension CompositionProblem.Kind {
    /// Event handlers contradict one another, or declare an invalid subscription.
    public static let invalidSubscription = CompositionProblem.Kind("invalidSubscription")

    /// A durable event has no handler in this program; only `ValidationLevel.strict` reports it.
    public static let unhandledEvent = CompositionProblem.Kind("unhandledEvent")

    /// The store was not opened with an entity that the processes or schedules of the domain need.
    public static let undeclaredEntity = CompositionProblem.Kind("undeclaredEntity")

    /// A schedule sends a command that no relay carries out; only `ValidationLevel.strict` reports it.
    public static let notCarriedOut = CompositionProblem.Kind("notCarriedOut")
}
