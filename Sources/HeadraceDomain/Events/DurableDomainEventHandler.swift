//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Handles one type of durable event after the commit, for certain.
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
/// The unit of work stores the event and one delivery for each such handler in the transaction of its changes, and does not
/// run the handler. A `Relay` does: in the background, in a unit of work of its own, again after a failure and also
/// after the process was killed. See <doc:Durability>.
///
/// Where the store of the unit of work keeps no deliveries, the handler runs like any other post-commit handler.
public protocol DurableDomainEventHandler<Event>: DomainEventHandler where Event: DurableDomainEvent {
    /// The name under which the store keeps what is still to be delivered to the handler.
    ///
    /// It never changes, whatever becomes of the type's own name. Handlers of several types of event may share one: a
    /// stream's events then reach them in the order of their commits.
    static var subscriptionName: String { get }
}

extension DurableDomainEventHandler {
    /// After the commit; to state `false` is a mistake, which the registrar reports.
    public static var isPostCommit: Bool { true }
}
