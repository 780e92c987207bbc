// SPDX-License-Identifier: Apache-2.0

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
