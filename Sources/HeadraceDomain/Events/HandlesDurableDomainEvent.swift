// SPDX-License-Identifier: Apache-2.0

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
