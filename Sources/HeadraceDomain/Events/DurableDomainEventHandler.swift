// SPDX-License-Identifier: Apache-2.0

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
