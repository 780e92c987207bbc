// SPDX-License-Identifier: Apache-2.0

public import HeadraceResolution

/// Handles one type of domain event.
///
/// ```swift
/// struct OrderPlacedHandler: DomainEventHandler {
///     static let isPostCommit = true
///
///     static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
///         try resolver
///             .require(NotificationService.self)
///             .notifyCustomer(customerId: event.customerId, message: "Your order is being processed.")
///     }
/// }
/// ```
///
/// This form is for code that was written for another package. In new code, use ``HandlesDomainEvent``, whose dependencies
/// `validate()` proves.
///
/// An event can have many handlers. All pre-commit handlers run before all post-commit handlers. Within each group,
/// handlers run one after the other, in no guaranteed order.
public protocol DomainEventHandler<Event>: SendableMetatype {
    /// The type of event that is handled.
    associatedtype Event: DomainEvent

    /// Whether the handler runs after the commit; `false` by default.
    ///
    /// - `false`: the handler runs before the commit, and its failure rolls the unit of work back. Use this for rules
    ///   of the domain. The resolver returns the context of the unit of work, and events raised by entities that the
    ///   handler changes are handled in turn.
    /// - `true`: the handler runs after the commit. Its failure is logged, stops no other handler, and rolls nothing
    ///   back. Use this for effects outside of the domain. If the effect must happen, make the handler a
    ///   ``DurableDomainEventHandler``.
    static var isPostCommit: Bool { get }

    /// Handles `event`, in the task and on the actor of the unit of work.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - resolver: Resolves the dependencies of the handler.
    /// - Throws: An error if the event can't be handled; ``isPostCommit`` determines the consequence.
    nonisolated(nonsending) static func handle(event: Event, resolver: any DependencyResolver) async throws
}

extension DomainEventHandler {
    /// Runs before the commit.
    public static var isPostCommit: Bool { false }
}

/// Handles one type of durable event after the commit, at least once.
///
/// ```swift
/// struct SendConfirmation: DurableDomainEventHandler {
///     static let subscriptionName = "confirmations"
///
///     static func handle(event: OrderPlaced, resolver: any DependencyResolver) async throws {
///         try await resolver.require(Mailer.self).confirm(event.orderId)
///     }
/// }
/// ```
///
/// This form is for code that was written for another package. In new code, use ``HandlesDurableDomainEvent``, whose dependencies
/// `validate()` proves.
///
/// The unit of work stores the event and one delivery for each such handler in the transaction of its changes (an
/// outbox), and doesn't run the handler. A `Relay` runs it in the background, in a separate unit of work, and repeats
/// it after a failure or after the process was killed. See <doc:Durability>.
///
/// If the store of the unit of work keeps no deliveries, the handler runs like any other post-commit handler.
public protocol DurableDomainEventHandler<Event>: DomainEventHandler where Event: DurableDomainEvent {
    /// The name under which the store keeps the deliveries to the handler.
    ///
    /// The name must never change, even if the type is renamed. Handlers of several types of event may share a name:
    /// then the events of a stream reach them in commit order.
    static var subscriptionName: String { get }
}

extension DurableDomainEventHandler {
    /// Runs after the commit; declaring `false` is an error, which the registrar reports.
    public static var isPostCommit: Bool { true }
}

/// Handles one type of domain event with an instance whose dependencies are resolved.
///
/// ```swift
/// @Resolvable
/// final class NotifyCustomer: HandlesDomainEvent {
///     static let isPostCommit = true
///
///     private let notifications: NotificationService
///
///     func handle(_ event: OrderPlaced) async throws {
///         notifications.notifyCustomer(customerId: event.customerId, message: "Your order is being processed.")
///     }
/// }
/// ```
///
/// An instance is created for each event, so a handler need not be thread-safe. If the handler is declared with
/// `domainEvents(handlers:)` of a builder, `validate()` proves its dependencies. If a dependency is missing
/// nevertheless, the handling fails with a `ResolutionError`. A ``DomainEventHandler`` does the same with a static
/// function that resolves by hand, which can't be validated.
public protocol HandlesDomainEvent<Event>: SendableMetatype {
    /// The type of event that is handled.
    associatedtype Event: DomainEvent

    /// Whether the handler runs after the commit; `false` by default.
    ///
    /// - `false`: the handler runs before the commit, and its failure rolls the unit of work back. A handler may take
    ///   the context of the unit of work as a dependency.
    /// - `true`: the handler runs after the commit. Its failure is logged, stops no other handler, and rolls nothing
    ///   back.
    nonisolated static var isPostCommit: Bool { get }

    /// Handles `event`, in the task and on the actor of the unit of work.
    ///
    /// `@MainActor` before the class doesn't change that, unless the class is `@Resolvable`; `@MainActor func handle`
    /// does.
    ///
    /// - Throws: An error if the event can't be handled; ``isPostCommit`` determines the consequence.
    nonisolated(nonsending) func handle(_ event: Event) async throws
}

extension HandlesDomainEvent {
    /// Runs before the commit.
    public static var isPostCommit: Bool { false }
}

/// Handles one type of durable event at least once, with an instance whose dependencies are resolved.
///
/// ```swift
/// @Resolvable
/// final class ConfirmOrder: HandlesDurableDomainEvent {
///     static let subscriptionName = "confirmations"
///
///     private let mailer: any Mailer
///
///     func handle(_ event: OrderPlaced) async throws {
///         try await mailer.confirm(event.orderId)
///     }
/// }
/// ```
///
/// The delivery is stored with the changes. A `Relay` runs the handler in a unit of work, whose context the handler may
/// take as a dependency. If a dependency is missing, the attempt fails: the relay retries, and in the end keeps a dead
/// letter. A ``DurableDomainEventHandler`` does the same with a static function. One subscription can have both kinds
/// of handlers.
public protocol HandlesDurableDomainEvent<Event>: HandlesDomainEvent where Event: DurableDomainEvent {
    /// The name under which the store keeps the deliveries to the handler.
    ///
    /// The name must never change, even if the type is renamed. Handlers of several types of event may share a name:
    /// then the events of a stream reach them in commit order.
    nonisolated static var subscriptionName: String { get }
}

extension HandlesDurableDomainEvent {
    /// Runs after the commit; declaring `false` is an error, which the registrar reports.
    public static var isPostCommit: Bool { true }
}
