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
