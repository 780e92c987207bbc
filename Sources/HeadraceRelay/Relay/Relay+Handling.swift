// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
public import HeadraceStorage

/// The result of handling one delivery.
enum HandlingResult {
    /// It was handled, and the relay must settle it.
    case handled

    /// It was handled, and the commit of its handler has settled it.
    case settled

    /// It failed, and may succeed in another attempt.
    case failed(any Error)

    /// No attempt can succeed.
    case undeliverable(reason: String)

    /// This relay doesn't know the message.
    case unknown(UnknownMessage)

    /// The lease was no longer valid when the handler committed.
    case leaseLost

    /// The task was cancelled.
    case cancelled

    /// Whether the commit of the handler has stored the settlement.
    var isSettled: Bool {
        if case .settled = self { true } else { false }
    }
}

extension Relay {
    /// Handles `delivery` in a unit of work on the store.
    ///
    /// The commit includes `settlement` in the same transaction. Once the commit is stored, the delivery is handled,
    /// even if middleware throws an error afterwards.
    func handle(_ delivery: Delivery, settlement: Settlement) async -> HandlingResult {
        var result = await handleOnce(delivery, settlement: settlement)
        for _ in 1..<Self.reactionLimit where isRepeatable(delivery, after: result) {
            result = await handleOnce(delivery, settlement: settlement)
        }
        return result
    }

    private func handleOnce(_ delivery: Delivery, settlement: Settlement) async -> HandlingResult {
        let context = EntityContext(store)
        context.relayPart.settlement = settlement
        let result = await result(of: delivery, in: context)
        return context.hasSettled ? .settled : result
    }

    private func result(of delivery: Delivery, in context: EntityContext) async -> HandlingResult {
        do {
            try await handle(delivery, in: context)
            return .handled
        } catch let error as Undeliverable {
            return .undeliverable(reason: error.reason)
        } catch let error as UnknownMessage {
            return .unknown(error)
        } catch let error as StoreError where error.code == .leaseLost {
            return .leaseLost
        } catch is CancellationError where Task.isCancelled {
            return .cancelled
        } catch {
            return .failed(error)
        }
    }

    private func handle(_ delivery: Delivery, in context: EntityContext) async throws {
        switch delivery.content {
        case .event(let record):
            let (event, handler) = try read(record.event, of: delivery)
            try await handle(
                event,
                context: DeliveryContext(delivery, record: record),
                origin: record.event.origin,
                in: context
            ) { context in
                try await self.registrar.handle(event, by: handler, in: context)
            }
        case .scheduled(let message):
            try await handle(message, of: delivery, in: context)
        case .missing:
            throw Undeliverable(reason: "The message is no longer in the store.")
        }
    }

    private func read(
        _ stored: NewEvent,
        of delivery: Delivery
    ) throws -> (any DurableDomainEvent, EventHandlerRoute) {
        let events = registrar.events
        if events.type(named: stored.name) != nil,
            registrar.handler(of: delivery.subscription, for: stored.name) == nil
        {
            throw UnknownMessage(
                name: stored.name,
                version: stored.version,
                reason: """
                    No handler of the subscription '\(delivery.subscription)' handles '\(stored.name)'. To fix, \
                    register a handler and replay the dead letter, or discard it.
                    """
            )
        }
        let event = try decode(stored.json, name: stored.name, version: stored.version, key: stored.name)
        guard let handler = registrar.handler(of: delivery.subscription, for: stored.name) else {
            throw Undeliverable(reason: "The handler of '\(stored.name)' is no longer registered.")
        }
        return (event, handler)
    }

    /// Decodes an event; throws ``UnknownMessage`` with the name `key` if a relay of another version may know it.
    private func decode(
        _ json: Data,
        name: String,
        version: Int,
        key: String
    ) throws -> any DurableDomainEvent {
        do {
            return try registrar.events.decode(json, name: name, version: version)
        } catch let error as EventError {
            switch error.code {
            case .unknownName, .newerVersion, .olderVersion:
                throw UnknownMessage(name: key, version: version, reason: error.description)
            default:
                throw Undeliverable(reason: error.description)
            }
        }
    }

    private func handle(_ message: ScheduledMessage, of delivery: Delivery, in context: EntityContext) async throws {
        let deliveryContext = DeliveryContext(delivery, message: message)
        switch message.kind {
        case .event:
            let event = try decode(
                message.json,
                name: message.name,
                version: message.version,
                key: message.kind.key(message.name)
            )
            try await handle(
                event,
                context: deliveryContext,
                origin: message.origin,
                in: context
            ) { context in
                context.relayPart.raise(event, for: message.stream)
            }
        case .command:
            guard let route = route(of: message.name) else {
                throw UnknownMessage(
                    name: message.kind.key(message.name),
                    version: message.version,
                    reason: """
                        This relay does not carry out the scheduled command '\(message.name)'. To fix, add \
                        'relay.carryOut(…)' for its type before the relay runs, and replay the dead letter, or discard \
                        it.
                        """
                )
            }
            try await handle(
                .command,
                type: route.type,
                context: deliveryContext,
                origin: message.origin,
                in: context
            ) { run in
                try await route.carryOut(message, in: run)
            }
        }
    }

    /// Handles `event` by `operation`.
    private func handle<Event: DurableDomainEvent>(
        _ event: Event,
        context deliveryContext: DeliveryContext,
        origin: MessageOrigin,
        in context: EntityContext,
        _ operation: nonisolated(nonsending) @escaping (EntityContext) async throws -> Void
    ) async throws {
        try await handle(.event, type: Event.self, context: deliveryContext, origin: origin, in: context) { run in
            try await run.handle(event, operation)
        }
    }

    /// Runs `body` with the context of its message; it handles the message through the middleware, in a unit of work.
    private func handle(
        _ kind: MessageKind,
        type: Any.Type,
        context deliveryContext: DeliveryContext,
        origin: MessageOrigin,
        in context: EntityContext,
        _ body: nonisolated(nonsending) (DeliveryRun) async throws -> Void
    ) async throws {
        let messageContext = messageContext(kind, type: type, id: deliveryContext.messageID, origin: origin)
        let run = DeliveryRun(
            chain: chain, messageContext: messageContext, delegator: registrar, entityContext: context)
        try await withDeliveryContext(messageContext, delivery: deliveryContext, origin: origin) {
            try await body(run)
        }
    }

    private func messageContext(
        _ kind: MessageKind,
        type: Any.Type,
        id: UUID,
        origin: MessageOrigin
    ) -> MessageContext {
        MessageContext(
            kind: kind,
            type: type,
            id: id,
            causationID: origin.causationID,
            correlationID: origin.correlationID,
            principal: origin.principalID.map { StoredPrincipal(principalID: $0) }
        )
    }

    /// Runs `operation` with the context and origin of its message.
    private nonisolated(nonsending) func withDeliveryContext(
        _ context: MessageContext,
        delivery: DeliveryContext,
        origin: MessageOrigin,
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        try await TraceCarrier.restoring(origin.trace) {
            try await MessageContext.withPrincipal(context.principal) {
                try await MessageContext.withCurrent(context) {
                    try await DeliveryContext.$current.binding(delivery) {
                        try await context.asAttempt(delivery.attempt, operation)
                    }
                }
            }
        }
    }
}

extension DeliveryContext {
    fileprivate init(_ delivery: Delivery, record: EventRecord) {
        self.init(
            subscription: delivery.subscription,
            messageID: record.event.id,
            attempt: delivery.attempt,
            isReplay: delivery.isReplay,
            position: record.position,
            date: record.event.recordedAt
        )
    }

    fileprivate init(_ delivery: Delivery, message: ScheduledMessage) {
        self.init(
            subscription: delivery.subscription,
            messageID: message.id,
            attempt: delivery.attempt,
            isReplay: delivery.isReplay,
            position: nil,
            date: message.dueAt
        )
    }
}

extension DeadLetters {
    /// Creates access to the dead letters in `store`, and checks corrected contents by the types that `relays` know.
    ///
    /// A relay knows the events of its registrar, and the commands that it carries out. Relays on other stores don't count.
    public init(in store: any DeliveryStore, relays: [Relay]) {
        let relays = relays.filter { $0.store.undecorated === store.undecorated }
        self.init(in: store) { content in
            relays.lazy.compactMap { $0.decodingFailure(of: content) }.first.map(DecodingFailure.init)
        }
    }
}

extension Relay {
    /// The error of decoding the message `content`; `nil` if it decodes, or if this relay doesn't know its type or version.
    fileprivate func decodingFailure(of content: Delivery.Content) -> (any Error)? {
        if case .scheduled(let message) = content, message.kind == .command {
            return route(of: message.name)?.decodingFailure(of: message)
        }
        guard let message = content.message else { return nil }
        do {
            _ = try registrar.events.decode(message.json, name: message.name, version: message.version)
            return nil
        } catch let error as EventError {
            return error.code == .undecodable ? error.cause ?? error : nil
        } catch {
            return error
        }
    }
}
