//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
/// The delivery is stored with the changes, and a `Relay` makes it, in a unit of work whose context the handler may take as
/// a dependency. A missing dependency costs a delivery: the relay tries again, and in the end keeps a dead letter.
/// A ``DurableDomainEventHandler`` does the same with a static function. Of a subscription, some handlers may be static and
/// others not.
public protocol HandlesDurableDomainEvent<Event>: HandlesDomainEvent where Event: DurableDomainEvent {
    /// The name under which the store keeps the deliveries to the handler.
    ///
    /// It never changes, also if the type is renamed. Handlers of several types of event may share one name: a
    /// stream's events then reach them in the order of their commits.
    nonisolated static var subscriptionName: String { get }
}

extension HandlesDurableDomainEvent {
    /// After the commit; to state `false` is a mistake, which the registrar reports.
    public static var isPostCommit: Bool { true }
}
