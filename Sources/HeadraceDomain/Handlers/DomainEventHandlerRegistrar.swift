// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceResolution
import HeadraceStorage
import Logging
import Synchronization

/// Calls the handlers that are registered for the type of each domain event.
///
/// ```swift
/// let registrar = DomainEventHandlerRegistrar(resolver: services)
/// registrar.register(OrderPlacedHandler.self)
/// ```
///
/// A registrar may be shared. Handlers may be registered while units of work run, and receive events from then on. If a
/// program declares its handlers with `domainEvents(…)` of a `ContainerBuilder`, their dependencies are validated.
public final class DomainEventHandlerRegistrar: DomainEventDelegator {
    fileprivate struct State {
        var handlers: [ObjectIdentifier: EventHandlers] = [:]
        var events = EventRegistry()
        var subscriptions: [BytewiseString: Subscription] = [:]
        var mistakes: [String] = []
    }

    /// The handlers of one subscription, by the names of their events.
    fileprivate struct Subscription {
        var handlers: [BytewiseString: EventHandlerRoute] = [:]
    }

    private let resolver: any DependencyResolver & Sendable
    private let state = Mutex(State())

    /// The observers of units of work, their events, and handlers.
    public let observers: [any MessageObserver]

    /// Creates a registrar whose handlers take their dependencies from `resolver`.
    ///
    /// - Parameters:
    ///   - resolver: Resolves the dependencies of handlers.
    ///   - observers: Are notified of each unit of work, each of its events and handlers, and the commit.
    public init(resolver: any DependencyResolver & Sendable, observers: [any MessageObserver] = []) {
        self.resolver = resolver
        self.observers = observers
    }

    /// Registers `handler` for its type of event.
    ///
    /// Registering it again changes nothing. If a post-commit handler of a ``DurableDomainEvent`` is not a
    /// ``DurableDomainEventHandler``, that is logged at `debug`, because the handler may miss events. A mistake in a
    /// handler's declaration is logged at `error`, and thrown by ``validate()`` and by `Relay.run()`.
    public func register<Handler: DomainEventHandler>(_ handler: Handler.Type) {
        register(EventHandlerRoute(handler), HandlerTiming(of: handler), for: Handler.Event.self)
    }

    /// Registers `handler` for its type of event: an instance is created for each event.
    ///
    /// Dependencies come from a scope that is opened for the event, if the registrar's resolver is a container or a
    /// scope. If a dependency is missing, the handling fails with a `ResolutionError`. Everything else is the same as
    /// for static handlers.
    public func register<Handler: HandlesDomainEvent & Resolvable>(_ handler: Handler.Type) {
        register(EventHandlerRoute(handler), HandlerTiming(of: handler), for: Handler.Event.self)
    }

    private func register(_ handler: EventHandlerRoute, _ timing: HandlerTiming, for event: Any.Type) {
        let remark = state.withLock { state -> (level: Logger.Level, text: String)? in
            var handlers = state.handlers[ObjectIdentifier(event)] ?? EventHandlers()
            defer { state.handlers[ObjectIdentifier(event)] = handlers }

            switch timing {
            case .beforeCommit:
                if !handlers.beforeCommit.contains(where: { $0.type == handler.type }) {
                    handlers.beforeCommit.append(handler)
                }
                return nil
            case .afterCommit(let remark):
                if handlers.afterCommit.contains(where: { $0.type == handler.type }) { return nil }
                handlers.afterCommit.append(handler)
                return remark.map { (.debug, $0) }
            case .subscribed(let name, let event):
                if handlers.subscribed.contains(where: { $0.handler.type == handler.type }) { return nil }
                guard let mistake = state.subscribe(handler, to: event, as: name) else {
                    handlers.subscribed.append((name, handler))
                    return nil
                }
                return state.note(mistake)
            case .mistaken(let mistake):
                return state.note(mistake)
            }
        }
        if let remark { Logger.current.log(level: remark.level, "\(remark.text)") }
    }

    /// Registers `event` without a handler, so that it can be scheduled.
    ///
    /// - Throws: ``EventError`` with the code `ambiguousName` or `invalidMigrations`.
    public func register<Event: DurableDomainEvent>(event: Event.Type) throws {
        try state.withLock { try $0.events.register(event) }
    }

    /// Registers `event` as ``register(event:)`` does; a mistake is kept for ``validate()``.
    func declare<Event: DurableDomainEvent>(_ event: Event.Type) {
        let mistake = state.withLock { state -> (level: Logger.Level, text: String)? in
            do {
                try state.events.register(event)
                return nil
            } catch {
                return state.note("\(error)")
            }
        }
        if let mistake { Logger.current.log(level: mistake.level, "\(mistake.text)") }
    }

    /// Throws if a registered handler has a mistake; call it at the start of the program.
    ///
    /// - Throws: ``EventError`` with the code `invalidSubscriptions`, naming all mistakes.
    public func validate() throws {
        let mistakes = state.withLock { $0.mistakes }
        if !mistakes.isEmpty { throw EventError.invalidSubscriptions(mistakes) }
    }

    /// Runs the pre-commit handlers of the type of `event`, one after the other.
    ///
    /// - Throws: The error of the first handler that fails; the remaining handlers don't run.
    public nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws {
        let site = HandlingContext(base: resolver, context: context)
        for handler in handlers(of: event).beforeCommit { try await handle(event, by: handler, at: site) }
    }

    /// The subscriptions of the durable handlers of the type of `event`, in the order registered.
    public func subscriptions(to event: any DomainEvent) -> [String] {
        handlers(of: event).subscribed.map(\.subscription)
    }

    /// Runs the post-commit handlers of the type of `event`, except the handlers of `subscriptions`.
    ///
    /// They run one after the other; failures are logged.
    public nonisolated(nonsending) func handleAfterCommit(
        _ event: any DomainEvent,
        exceptFor subscriptions: [String]
    ) async {
        let handlers = handlers(of: event)
        let durable = handlers.subscribed.filter { !subscriptions.contains($0.subscription) }
        for handler in handlers.afterCommit + durable.map(\.handler) {
            do {
                try await handle(event, by: handler, at: HandlingContext(base: resolver))
            } catch {
                Logger.current.error(
                    "A post-commit handler failed. The changes are stored; the other handlers continue.",
                    metadata: [
                        "headrace.event": "\(String(naming: type(of: event)))",
                        "headrace.handler": "\(String(naming: handler.type))",
                        "error": "\(error)",
                    ]
                )
            }
        }
    }

    /// The types of the handlers of the type of `event` that aren't durable, which only a unit of work runs.
    package func transientHandlers(of event: any DomainEvent) -> [Any.Type] {
        let handlers = handlers(of: event)
        return (handlers.beforeCommit + handlers.afterCommit).map(\.type)
    }

    private func handlers(of event: any DomainEvent) -> EventHandlers {
        state.withLock { $0.handlers[ObjectIdentifier(type(of: event))] ?? EventHandlers() }
    }

    // MARK: For the relay

    /// The subscriptions of all handlers, sorted.
    package var subscriptionNames: [String] {
        state.withLock { $0.subscriptions.keys.sorted().map(\.text) }
    }

    /// The names of the events that the handlers of `subscription` handle.
    package func eventNames(of subscription: String) -> Set<String> {
        state.withLock { Set($0.subscriptions[BytewiseString(subscription)]?.handlers.keys.map(\.text) ?? []) }
    }

    /// The types of event, by name.
    package var events: EventRegistry { state.withLock { $0.events } }

    /// Returns the handler of `subscription` for the events named `name`.
    package func handler(of subscription: String, for name: String) -> EventHandlerRoute? {
        state.withLock { $0.subscriptions[BytewiseString(subscription)]?.handlers[BytewiseString(name)] }
    }

    /// The mistakes in the registered handlers.
    package var mistakes: [String] { state.withLock { $0.mistakes } }

    /// Runs `handler` with a resolver that returns `context`.
    package nonisolated(nonsending) func handle(
        _ event: any DomainEvent,
        by handler: EventHandlerRoute,
        in context: EntityContext
    ) async throws {
        try await handle(event, by: handler, at: HandlingContext(base: resolver, context: context))
    }

    private nonisolated(nonsending) func handle(
        _ event: any DomainEvent,
        by handler: EventHandlerRoute,
        at site: HandlingContext
    ) async throws {
        try await MessageStage.run(.handler, type: handler.type, observers: observers) {
            try await handler.handle(event, site)
        }
    }
}

extension DomainEventHandlerRegistrar.State {
    /// Keeps `mistake`, and returns the log message if the mistake is new.
    fileprivate mutating func note(_ mistake: String) -> (level: Logger.Level, text: String)? {
        if mistakes.contains(mistake) { return nil }
        mistakes.append(mistake)
        return (.error, mistake)
    }

    /// Adds `handler` to the subscription `name`, or returns the reason why that isn't possible.
    fileprivate mutating func subscribe(
        _ handler: EventHandlerRoute,
        to event: any DurableDomainEvent.Type,
        as name: String
    ) -> String? {
        do {
            try events.register(event)
        } catch {
            return "\(error)"
        }
        let eventName = BytewiseString(event.eventName)
        if let other = subscriptions[BytewiseString(name)]?.handlers[eventName] {
            return """
                '\(String(naming: other.type))' and '\(String(naming: handler.type))' both have the subscriptionName \
                '\(name)' for '\(event.eventName)'. To fix, give each handler a unique name.
                """
        }
        subscriptions[BytewiseString(name), default: .init()].handlers[eventName] = handler
        return nil
    }
}
