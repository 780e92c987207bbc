//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
/// An event may have many handlers. All pre-commit handlers run before all post-commit handlers; among
/// themselves they run one after the other, and a program should not rely on which comes first.
public protocol DomainEventHandler<Event>: SendableMetatype {
    /// The type of event that is handled.
    associatedtype Event: DomainEvent

    /// Whether the handler runs after the changes are stored; `false` unless stated.
    ///
    /// - `false`: it runs before, and its failure rolls the unit of work back. For what the domain needs
    ///   to be whole. The resolver gives the context of the unit of work, and events raised by entities
    ///   that it touches are handled in turn.
    /// - `true`: it runs after, on its own. Its failure is logged; it stops no other handler and takes
    ///   nothing back. For what is outside of the domain and may be out of reach. Where it must not be missed, make
    ///   the handler a ``DurableDomainEventHandler``.
    static var isPostCommit: Bool { get }

    /// Handles `event`, in the task and on the actor of the unit of work.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - resolver: Gives what the handler needs.
    /// - Throws: Whatever keeps the event from being handled; see ``isPostCommit`` for what follows.
    nonisolated(nonsending) static func handle(event: Event, resolver: any DependencyResolver) async throws
}

extension DomainEventHandler {
    /// Before the commit.
    public static var isPostCommit: Bool { false }
}
