// SPDX-License-Identifier: Apache-2.0

public import HeadraceStorage

/// A domain event that is stored in the event log, in the same transaction as the changes that it describes.
///
/// ```swift
/// struct OrderPlaced: DurableDomainEvent {
///     static let eventName = "order-placed"
///     var customerId: UUID
///     var orderId: UUID
/// }
/// ```
///
/// A `Relay` delivers it to each ``DurableDomainEventHandler`` at least once; see <doc:Durability>.
public protocol DurableDomainEvent: DomainEvent, Codable {
    /// The name under which the event is stored, which must never change, even if the type is renamed.
    static var eventName: String { get }

    /// The version of the event's shape, counting from 1; the default is 1.
    static var eventVersion: Int { get }

    /// The migrations of events from earlier versions; none by default.
    ///
    /// There must be one migration for each earlier version, in order.
    static var eventMigrations: [JSONMigration] { get }
}

extension DurableDomainEvent {
    /// The default, version 1.
    public static var eventVersion: Int { 1 }

    /// No migrations.
    public static var eventMigrations: [JSONMigration] { [] }
}
