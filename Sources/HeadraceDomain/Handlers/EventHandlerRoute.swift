// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResolution
import HeadraceStorage

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
            guard let event = event as? Handler.Event else { return }
            try await Handler.handle(event: event, resolver: site.resolver)
        }
    }

    /// Creates the route to a handler that is created for each event.
    init<Handler: HandlesDomainEvent & Resolvable>(_ handler: Handler.Type) {
        type = handler
        handle = { event, site in
            guard let event = event as? Handler.Event else { return }
            let scope = HandlerResolver(site, opensScope: true)
            try await scope.make(Handler.self).handle(event)
            // Keeps the scope alive until here, because scoped objects refer to it weakly.
            withExtendedLifetime(scope) {}
        }
    }
}

/// The handlers of one type of event, by the time at which they run.
struct EventHandlers: Sendable {
    var beforeCommit: [EventHandlerRoute] = []
    var afterCommit: [EventHandlerRoute] = []

    /// The durable handlers, with their subscriptions.
    var subscribed: [(subscription: String, handler: EventHandlerRoute)] = []
}

/// The context of a unit of work and the resolver of a registrar, for the handlers of one event.
struct HandlingContext {
    /// The resolver of the registrar.
    let base: any DependencyResolver & Sendable

    /// The context of the unit of work, and the type by which handlers resolve it; `nil` after the commit.
    private(set) var context: (any DomainContext)?
    private(set) var contextType: Any.Type?

    /// The resolver of a static handler, for which no scope is opened.
    var resolver: any DependencyResolver {
        if context == nil { return base }
        return HandlerResolver(self, opensScope: false)
    }

    /// Creates a context for handlers after the commit.
    init(base: any DependencyResolver & Sendable) {
        self.base = base
    }

    /// Creates a context for handlers in a unit of work on `context`.
    init<Context: DomainContext>(base: any DependencyResolver & Sendable, context: Context) {
        self.base = base
        self.context = context
        contextType = Context.self
    }
}

/// The time at which a handler runs, according to its declaration.
enum HandlerTiming {
    case beforeCommit
    case afterCommit(remark: String?)
    case subscribed(name: String, event: any DurableDomainEvent.Type)
    case mistaken(String)

    init<Handler: DomainEventHandler>(of handler: Handler.Type) {
        if let durable = handler as? any DurableDomainEventHandler.Type {
            self.init(ofDurable: durable)
        } else {
            self.init(of: handler, event: Handler.Event.self, Handler.isPostCommit, as: "DurableDomainEventHandler")
        }
    }

    init<Handler: HandlesDomainEvent>(of handler: Handler.Type) {
        if let durable = handler as? any HandlesDurableDomainEvent.Type {
            self.init(ofDurable: durable)
        } else {
            self.init(of: handler, event: Handler.Event.self, Handler.isPostCommit, as: "HandlesDurableDomainEvent")
        }
    }

    private init(of handler: Any.Type, event: Any.Type, _ isPostCommit: Bool, as durable: String) {
        if !isPostCommit {
            self = .beforeCommit
        } else if let event = event as? any DurableDomainEvent.Type {
            self = .afterCommit(
                remark: """
                    '\(String(naming: handler))' handles '\(event.eventName)' after the commit, and misses it if \
                    the handler fails or the process ends. For at-least-once delivery, conform the handler to \
                    '\(durable)'.
                    """
            )
        } else {
            self = .afterCommit(remark: nil)
        }
    }

    private init<Handler: DurableDomainEventHandler>(ofDurable handler: Handler.Type) {
        self.init(
            handler,
            subscription: Handler.subscriptionName,
            to: Handler.Event.self,
            Handler.isPostCommit,
            transient: "DomainEventHandler"
        )
    }

    private init<Handler: HandlesDurableDomainEvent>(ofDurable handler: Handler.Type) {
        self.init(
            handler,
            subscription: Handler.subscriptionName,
            to: Handler.Event.self,
            Handler.isPostCommit,
            transient: "HandlesDomainEvent"
        )
    }

    private init(
        _ handler: Any.Type,
        subscription name: String,
        to event: any DurableDomainEvent.Type,
        _ isPostCommit: Bool,
        transient: String
    ) {
        let stated = "'\(String(naming: handler))' has the subscriptionName '\(name)'"
        if name.isEmpty || name == ScheduledMessage.subscription {
            self = .mistaken("\(stated), which is reserved or empty. To fix, choose another name.")
        } else if !isPostCommit {
            self = .mistaken(
                "\(stated), but runs before the commit. To fix, remove 'isPostCommit', or conform to '\(transient)'."
            )
        } else {
            self = .subscribed(name: name, event: event)
        }
    }

    /// The time at which the handler runs, in a word or two.
    var remark: String {
        switch self {
        case .beforeCommit: "before the commit"
        case .afterCommit, .mistaken: "after the commit"
        case .subscribed: "delivered"
        }
    }
}
