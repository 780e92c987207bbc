//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore
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
    fileprivate struct Handlers {
        var beforeCommit: [any DomainEventHandler.Type] = []
        var afterCommit: [any DomainEventHandler.Type] = []

        /// Those to which a store delivers, by their subscriptions.
        var subscribed: [(subscription: String, handler: any DomainEventHandler.Type)] = []
    }

    fileprivate struct State {
        var handlers: [ObjectIdentifier: Handlers] = [:]
        var events = EventRegistry()
        var subscriptions: [ByteText: Subscription] = [:]
        var mistakes: [String] = []
    }

    /// The handlers of one subscription, by the names of their events.
    fileprivate struct Subscription {
        var handlers: [ByteText: any DomainEventHandler.Type] = [:]
    }

    private let resolver: any DependencyResolver & Sendable
    private let state = Mutex(State())

    /// What is told of units of work, their events and handlers.
    public let observers: [any MessageObserver]

    /// Creates a registrar whose handlers get what they need from `resolver`.
    ///
    /// - Parameters:
    ///   - resolver: Has what handlers need.
    ///   - observers: Are told of each unit of work, each of its events and handlers, and of the commit.
    public init(resolver: any DependencyResolver & Sendable, observers: [any MessageObserver] = []) {
        self.resolver = resolver
        self.observers = observers
    }

    /// Registers `handler` for its type of event.
    ///
    /// Registering it again changes nothing. A post-commit handler of a ``DurableDomainEvent`` that is no
    /// ``DurableDomainEventHandler`` is logged at `debug`, as it may miss events; a mistake in what one states is logged at
    /// `error`, and thrown by ``validate()`` and by ``Relay/run()``.
    public func register<Handler: DomainEventHandler>(_ handler: Handler.Type) {
        let remark = state.withLock { state -> (level: Logger.Level, text: String)? in
            var handlers = state.handlers[ObjectIdentifier(Handler.Event.self)] ?? Handlers()
            defer { state.handlers[ObjectIdentifier(Handler.Event.self)] = handlers }

            switch Placement(of: handler) {
            case .beforeCommit:
                if !handlers.beforeCommit.contains(where: { $0 == handler }) { handlers.beforeCommit.append(handler) }
                return nil
            case .afterCommit(let remark):
                if handlers.afterCommit.contains(where: { $0 == handler }) { return nil }
                handlers.afterCommit.append(handler)
                return remark.map { (.debug, $0) }
            case .subscribed(let name, let event):
                if handlers.subscribed.contains(where: { $0.handler == handler }) { return nil }
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

    /// Makes `event` known to the log without a handler of it, so that it can be scheduled.
    ///
    /// - Throws: ``EventError`` with the code `ambiguousName` or `invalidMigrations`.
    public func register<Event: DurableDomainEvent>(event: Event.Type) throws {
        try state.withLock { try $0.events.register(event) }
    }

    /// Throws what is wrong with the handlers that were registered; a program learns it at start.
    ///
    /// - Throws: ``RelayError`` with the code `invalidSubscriptions`, naming all mistakes.
    public func validate() throws {
        let mistakes = state.withLock { $0.mistakes }
        if !mistakes.isEmpty { throw RelayError.invalidSubscriptions(mistakes) }
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

    /// The subscriptions of the durable handlers of the type of `event`, in the order registered.
    public func subscriptions(to event: any DomainEvent) -> [String] {
        handlers(of: event).subscribed.map(\.subscription)
    }

    /// Runs all post-commit handlers of the type of `event`, one after the other; logs what fails.
    public nonisolated(nonsending) func handleAfterCommit(_ event: any DomainEvent) async {
        await handleAfterCommit(event, exceptFor: [])
    }

    /// Runs the post-commit handlers of the type of `event`, except those of `subscriptions`, one after the other; logs
    /// what fails.
    public nonisolated(nonsending) func handleAfterCommit(
        _ event: any DomainEvent,
        exceptFor subscriptions: [String]
    ) async {
        let handlers = handlers(of: event)
        let subscribed = handlers.subscribed.filter { !subscriptions.contains($0.subscription) }
        for handler in handlers.afterCommit + subscribed.map(\.handler) {
            do {
                try await handle(event, by: handler, resolver: resolver)
            } catch {
                Logger.current.error(
                    "A post-commit handler failed. The changes are stored; the other handlers go on.",
                    metadata: [
                        "headrace.event": "\(String(naming: type(of: event)))",
                        "headrace.handler": "\(String(naming: handler))",
                        "error": "\(error)",
                    ]
                )
            }
        }
    }

    private func handlers(of event: any DomainEvent) -> Handlers {
        state.withLock { $0.handlers[ObjectIdentifier(type(of: event))] } ?? Handlers()
    }

    // MARK: For the relay

    /// The subscriptions of all handlers, sorted.
    var subscriptionNames: [String] {
        state.withLock { $0.subscriptions.keys.sorted().map(\.text) }
    }

    /// The names of the events that the handlers of `subscription` handle.
    func eventNames(of subscription: String) -> Set<String> {
        state.withLock { Set($0.subscriptions[ByteText(subscription)]?.handlers.keys.map(\.text) ?? []) }
    }

    /// The types of event that are known by name.
    var events: EventRegistry { state.withLock { $0.events } }

    /// Gives the handler of `subscription` for the events named `name`.
    func handler(of subscription: String, for name: String) -> (any DomainEventHandler.Type)? {
        state.withLock { $0.subscriptions[ByteText(subscription)]?.handlers[ByteText(name)] }
    }

    /// Runs `handler`, which gets `context` from its resolver.
    nonisolated(nonsending) func handle(
        _ event: any DomainEvent,
        by handler: any DomainEventHandler.Type,
        in context: EntityContext
    ) async throws {
        try await handle(event, by: handler, resolver: ContextResolver(context: context, base: resolver))
    }

    private nonisolated(nonsending) func handle<Handler: DomainEventHandler>(
        _ event: any DomainEvent,
        by handler: Handler.Type,
        resolver: any DependencyResolver
    ) async throws {
        // Handlers are kept by the type of their event, so the cast always succeeds.
        if let event = event as? Handler.Event {
            if observers.isEmpty {
                try await handler.handle(event: event, resolver: resolver)
            } else {
                try await MessageStage.run(.handler, type: handler, observers: observers) {
                    try await handler.handle(event: event, resolver: resolver)
                }
            }
        }
    }
}

extension DomainEventHandlerRegistrar.State {
    /// Keeps `mistake`, and tells what to log where it is new.
    fileprivate mutating func note(_ mistake: String) -> (level: Logger.Level, text: String)? {
        if mistakes.contains(mistake) { return nil }
        mistakes.append(mistake)
        return (.error, mistake)
    }

    /// Adds `handler` to the subscription `name`, or tells why that cannot be.
    fileprivate mutating func subscribe(
        _ handler: any DomainEventHandler.Type,
        to event: any DurableDomainEvent.Type,
        as name: String
    ) -> String? {
        do {
            try events.register(event)
        } catch {
            return "\(error)"
        }
        let eventName = ByteText(event.eventName)
        if let other = subscriptions[ByteText(name)]?.handlers[eventName] {
            return """
                '\(String(naming: other))' and '\(String(naming: handler))' both state the subscriptionName \
                '\(name)' for '\(event.eventName)'. To fix, give each its own.
                """
        }
        subscriptions[ByteText(name), default: .init()].handlers[eventName] = handler
        return nil
    }
}

/// When a handler runs, as it states it.
private enum Placement {
    case beforeCommit
    case afterCommit(remark: String?)
    case subscribed(name: String, event: any DurableDomainEvent.Type)
    case mistaken(String)

    init<Handler: DomainEventHandler>(of handler: Handler.Type) {
        if let durable = handler as? any DurableDomainEventHandler.Type {
            self.init(ofDurable: durable)
        } else if !Handler.isPostCommit {
            self = .beforeCommit
        } else if let event = Handler.Event.self as? any DurableDomainEvent.Type {
            self = .afterCommit(
                remark: """
                    '\(String(naming: handler))' handles '\(event.eventName)' after the commit, and misses it where \
                    that fails or the process ends. To have it delivered for certain, conform it to \
                    'DurableDomainEventHandler'.
                    """
            )
        } else {
            self = .afterCommit(remark: nil)
        }
    }

    private init<Handler: DurableDomainEventHandler>(ofDurable handler: Handler.Type) {
        let name = Handler.subscriptionName
        let stated = "'\(String(naming: handler))' states the subscriptionName '\(name)'"
        if name.isEmpty || name == ScheduledMessage.subscription {
            self = .mistaken("\(stated), which is not free to use. To fix, choose another one.")
        } else if !Handler.isPostCommit {
            self = .mistaken(
                "\(stated), but runs before the commit. To fix, remove 'isPostCommit', or conform to 'DomainEventHandler'."
            )
        } else {
            self = .subscribed(name: name, event: Handler.Event.self)
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
