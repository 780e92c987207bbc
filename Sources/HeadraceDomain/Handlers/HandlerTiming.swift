// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStorage

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
