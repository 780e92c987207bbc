//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceStorage

/// A domain event that is stored in the event log, in the same transaction as the changes that it tells of.
///
/// ```swift
/// struct OrderPlaced: DurableDomainEvent {
///     static let eventName = "order-placed"
///     var customerId: UUID
///     var orderId: UUID
/// }
/// ```
///
/// It is delivered for certain to each ``DurableDomainEventHandler``; see <doc:Durability>.
public protocol DurableDomainEvent: DomainEvent, Codable {
    /// The name under which the event is stored. It never changes, whatever becomes of the type's own name.
    static var eventName: String { get }

    /// The version of the event's shape, counting from 1; 1 unless stated.
    static var eventVersion: Int { get }

    /// How events of earlier versions become events of this one: a migration for each version, in order, the last one
    /// from the version before this; none unless stated.
    static var eventMigrations: [JSONMigration] { get }
}

extension DurableDomainEvent {
    /// The first version.
    public static var eventVersion: Int { 1 }

    /// None.
    public static var eventMigrations: [JSONMigration] { [] }
}
