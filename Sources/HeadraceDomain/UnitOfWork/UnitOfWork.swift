// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
public import HeadraceStorage

/// A piece of work on the domain whose changes and events are stored in one transaction, or not at all.
///
/// ```swift
/// let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))
/// try await unitOfWork.execute { context in
///     guard let customer = try await context.find(Customer.self, id: id) else { throw Missing(id) }
///     customer.placeOrder(order)
/// }
/// ```
///
/// ``execute(_:)`` runs the body. Then it runs the pre-commit handlers of all raised events, including the events that
/// these handlers raise, until there are none. Then it commits. Then it runs the post-commit handlers, except durable
/// handlers, to which a `Relay` delivers. Everything happens in the caller's task and on the caller's actor.
public struct UnitOfWork<Context: DomainContext> {
    private enum Source {
        case context(Context)

        /// Each execution makes a context.
        case maker(() -> Context)
    }

    private let delegator: any DomainEventDelegator
    private let joinIdentity: ObjectIdentifier
    private let source: Source

    /// Creates a unit of work on `context`; `delegator` delivers its events to the handlers.
    public init(delegator: any DomainEventDelegator, context: Context) {
        self.delegator = delegator
        joinIdentity = context.joinIdentity
        source = .context(context)
    }

    /// Creates a unit of work that makes a context each time it is executed, unless it joins another unit of work.
    ///
    /// - Parameters:
    ///   - delegator: Delivers the events to the handlers.
    ///   - joinIdentity: The ``DomainContext/joinIdentity`` of the contexts, such as the identity of their store.
    ///   - makeContext: Makes a context.
    package init(
        delegator: any DomainEventDelegator,
        joinIdentity: ObjectIdentifier,
        makeContext: @escaping () -> Context
    ) {
        self.delegator = delegator
        self.joinIdentity = joinIdentity
        source = .maker(makeContext)
    }

    /// Runs `body` and commits its changes.
    ///
    /// Within the body of another unit of work of the same task on the same store, it joins that unit of work: `body`
    /// receives the outer context, and the outer unit of work commits.
    ///
    /// If a nested unit of work throws, the outer unit of work can only roll back, even if the error is caught. The
    /// program holds the entities that the nested unit of work has changed, so their states can't be restored. The outer
    /// unit of work then throws `UnitOfWorkError.Code.rollbackOnly` instead of committing, with the first error as the
    /// cause. No other unit of work can join it. If an error must not end the outer unit of work, return a
    /// value from the nested unit of work instead of throwing, or execute it outside.
    ///
    /// - Returns: The result of `body`, once the changes are stored and the post-commit handlers have run.
    /// - Throws: The error of `body` or of a pre-commit handler, unwrapped; ``UnitOfWorkError`` if the events never
    ///   end, or if a nested unit of work has failed; ``HeadraceStorage/StoreError`` if the changes can't be stored;
    ///   `CancellationError` if the task was cancelled before the commit. In each case nothing is stored, the raised
    ///   events are dropped, and the unit of work can be executed again.
    public nonisolated(nonsending) func execute<Result>(
        _ body: nonisolated(nonsending) (Context) async throws -> Result
    ) async throws -> Result {
        let outer = ActiveUnitOfWork.current
        if let joined = outer?.joinable(as: Context.self, by: joinIdentity) {
            return try await joined.unitOfWork.join(on: joined.context, body)
        }
        let context =
            switch source {
            case .context(let context): context
            case .maker(let makeContext): makeContext()
            }
        return try await MessageStage.run(.unitOfWork, observers: delegator.observers) {
            try await run(body, on: context, within: outer)
        }
    }

    /// Runs `body`, the pre-commit handlers until there are no more events, the commit, and the post-commit handlers.
    private nonisolated(nonsending) func run<Result>(
        _ body: nonisolated(nonsending) (Context) async throws -> Result,
        on context: Context,
        within outer: ActiveUnitOfWork?
    ) async throws -> Result {
        let active = ActiveUnitOfWork(context: context, outer: outer)
        var events: [CollectedEvent] = []
        let result = try await CurrentUnitOfWork.$current.binding(active) {
            do {
                let result = try await body(context)
                try active.requireCommit()
                events = try await handleBeforeCommit(context.takeEvents(), in: context)
                try active.requireCommit()
                try await MessageStage.run(.commit, observers: delegator.observers) {
                    try await context.commit(events)
                }
                return result
            } catch {
                _ = context.takeEvents()
                context.rollback()
                throw error
            }
        }
        for collected in events {
            await delegator.handleAfterCommit(collected.event, exceptFor: collected.subscriptions)
        }
        return result
    }

    /// Runs the pre-commit handlers of `raised` and of the events that they raise.
    ///
    /// - Returns: All events, with their subscriptions.
    private nonisolated(nonsending) func handleBeforeCommit(
        _ raised: [CollectedEvent],
        in context: Context
    ) async throws -> [CollectedEvent] {
        if raised.isEmpty { return [] }
        var cascade = EventCascade(raised)
        while let event = try cascade.next() {
            try await MessageStage.run(.event, type: type(of: event), event: event, observers: delegator.observers) {
                try await delegator.handleBeforeCommit(event, in: context)
            }
            cascade.append(context.takeEvents())
        }
        return addressed(cascade.events, in: context)
    }

    /// Returns `events` with their subscriptions if `context` stores deliveries.
    private func addressed(_ events: [CollectedEvent], in context: Context) -> [CollectedEvent] {
        var addressed = events
        for index in events.indices {
            let subscriptions = delegator.subscriptions(to: events[index].event)
            if subscriptions.isEmpty { continue }
            // Asked only now, because most events have no subscriptions.
            if !context.storesDeliveries { return events }
            addressed[index].subscriptions = subscriptions
        }
        return addressed
    }
}

extension UnitOfWork {
    /// Executes `body`, again up to ten times if another unit of work has changed or inserted the same entity meanwhile.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The errors of ``execute(_:)``.
    package nonisolated(nonsending) func executeAgainAfterConflicts<Result>(
        _ body: nonisolated(nonsending) (Context) async throws -> Result
    ) async throws -> Result {
        for _ in 0..<10 {
            do {
                return try await execute(body)
            } catch let error as StoreError where error.code == .versionConflict || error.code == .alreadyExists {
                continue
            }
        }
        return try await execute(body)
    }
}

/// Delivers the events of a unit of work to their handlers.
///
/// Usually this is ``DomainEventHandlerRegistrar``. Write your own to record events in a test.
public protocol DomainEventDelegator: Sendable {
    /// The observers of units of work, their events, and handlers, as stages of the current message; none by default.
    var observers: [any MessageObserver] { get }

    /// Handles `event` before the changes in `context` are committed.
    ///
    /// - Throws: An error, which rolls the unit of work back.
    nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws

    /// The names of the subscriptions to which the store must deliver `event`; none by default.
    ///
    /// The unit of work calls it before the commit, which stores the deliveries with the event.
    func subscriptions(to event: any DomainEvent) -> [String]

    /// Handles `event` after the commit, except by the handlers of `subscriptions`.
    ///
    /// A relay runs the handlers of `subscriptions`. A failing handler must not stop the others.
    nonisolated(nonsending) func handleAfterCommit(
        _ event: any DomainEvent,
        exceptFor subscriptions: [String]
    ) async
}

extension DomainEventDelegator {
    /// No observers.
    public var observers: [any MessageObserver] { [] }

    /// No subscriptions.
    public func subscriptions(to event: any DomainEvent) -> [String] { [] }
}

/// An event that a unit of work has taken from the entity that raised it.
public struct CollectedEvent: Sendable {
    /// The event.
    public let event: any DomainEvent

    /// The entity that raised the event, or `nil` if a store doesn't keep that entity.
    public let source: EntityReference?

    /// The names of the subscriptions to which the store must deliver the event.
    public var subscriptions: [String]

    /// Creates a collected event; by default, it has no subscriptions.
    public init(event: any DomainEvent, source: EntityReference?, subscriptions: [String] = []) {
        self.event = event
        self.source = source
        self.subscriptions = subscriptions
    }
}

extension CollectedEvent {
    /// Removes the events from `entities` and returns them in the order raised.
    public static func take(from entities: some Sequence<any HasDomainEvents>) -> [CollectedEvent] {
        var taken: [(order: UInt64, event: CollectedEvent)] = []
        for entity in entities where entity.raisedEvents.count > 0 {
            let source = (entity as? any StoredEntity).map { EntityReference(to: $0) }
            entity.raisedEvents.takeAll { entry in
                taken.append((entry.order, CollectedEvent(event: entry.event, source: source)))
            }
        }
        return taken.sorted { $0.order < $1.order }.map(\.event)
    }
}

/// Has no handlers, for units of work of Headrace itself, which raise no events.
package struct NoDelegator: DomainEventDelegator {
    package init() {}

    package func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws {}

    package func handleAfterCommit(_ event: any DomainEvent, exceptFor subscriptions: [String]) async {}
}
