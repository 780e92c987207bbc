// SPDX-License-Identifier: Apache-2.0

public import HeadraceStorage
import Synchronization

/// A fact that happened in the domain, named in the past tense: `OrderPlaced`, not `PlaceOrder`.
///
/// An entity raises an event (``HasDomainEvents/raiseEvent(_:)``); a ``UnitOfWork`` collects it and passes it to the
/// handlers of its type. A plain event is kept in memory only. Conform to ``DurableDomainEvent`` to store it with the
/// changes that it describes.
public protocol DomainEvent: Sendable {}

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

/// An entity that raises domain events and keeps them until a unit of work takes them.
///
/// The `@DomainEntity` macro adds the conformance. By hand it is one line:
///
/// ```swift
/// final class Customer: HasDomainEvents {
///     var raisedEvents = RaisedEvents()
/// }
/// ```
public protocol HasDomainEvents: AnyObject {
    /// The events raised since a unit of work last took them.
    var raisedEvents: RaisedEvents { get set }

    /// Raises `event`, which is handled when the unit of work that uses this entity completes.
    ///
    /// Without a unit of work, the event stays in ``HasDomainEvents/raisedEvents``. The default implementation adds it
    /// there; an ``EventSourcedEntity`` also applies it.
    func raiseEvent(_ event: some DomainEvent)
}

extension HasDomainEvents {
    /// Adds `event` to ``HasDomainEvents/raisedEvents``.
    public func raiseEvent(_ event: some DomainEvent) {
        raisedEvents.append(event)
    }
}

/// The events of one entity that no unit of work has taken yet.
///
/// They are not part of the entity's state. All values are equal, encoding the entity leaves the property out, and
/// decoding starts with no events. So the property doesn't change the stored form of an entity.
public struct RaisedEvents {
    /// An event with its order among all events raised in this process.
    struct Entry: Sendable {
        let order: UInt64
        let event: any DomainEvent

        /// Whether the event has changed the state of an event-sourced entity.
        var isApplied: Bool { order & 1 == 1 }
    }

    /// The first event.
    ///
    /// Most entities raise one event in a unit of work, which needs no array.
    private var first: Entry?

    /// The other events.
    private var others: [Entry] = []

    /// The tracker to notify when there are events, and the number of the entity.
    private var watch: PendingEventTracker?
    private var number = 0

    /// Creates a value without events.
    public init() {}

    /// The number of events.
    package var count: Int { first == nil ? 0 : 1 + others.count }

    /// The events, in the order raised.
    public var events: [any DomainEvent] { first.map { [$0.event] + others.map(\.event) } ?? [] }

    mutating func append(_ event: some DomainEvent) {
        append(Entry(order: Self.nextOrder(), event: event))
    }

    /// Appends an event that has changed the state of an event-sourced entity.
    mutating func append(applied event: some DomainEvent) {
        append(Entry(order: Self.nextOrder() | 1, event: event))
    }

    private mutating func append(_ entry: Entry) {
        if first == nil {
            first = entry
            watch?.note(number)
        } else {
            others.append(entry)
        }
    }

    /// Removes the events, and passes them to `body` in the order raised.
    ///
    /// `body` must not use the entity.
    mutating func takeAll(_ body: (Entry) -> Void) {
        guard let entry = first else { return }
        first = nil
        body(entry)
        if others.isEmpty { return }
        others.forEach(body)
        others.removeAll()
    }

    /// Notifies `watch` about events of the entity `number`, now or when the first event is raised.
    mutating func watch(by watch: PendingEventTracker, as number: Int) {
        self.watch = watch
        self.number = number
        if first != nil { watch.note(number) }
    }

    /// Returns an even number that is greater than the numbers of all events raised before in this task.
    static func nextOrder() -> UInt64 { lastOrder.wrappingAdd(2, ordering: .relaxed).newValue }

    /// Orders the events of different entities; relaxed, because one unit of work raises its events one by one.
    private static let lastOrder = Atomic<UInt64>(0)
}

extension RaisedEvents: Hashable {
    /// Always `true`.
    public static func == (one: RaisedEvents, other: RaisedEvents) -> Bool { true }

    /// Does nothing.
    public func hash(into hasher: inout Hasher) {}
}

extension RaisedEvents: Codable {
    private enum NoKey: CodingKey {}

    /// Creates a value without events, and ignores the content of the decoder.
    public init(from decoder: any Decoder) throws {}

    /// Encodes an empty object if the encoder requires a value.
    public func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: NoKey.self)
    }
}

// Synthesized `Codable` code prefers these to the generic methods, because they are more specific.

extension KeyedEncodingContainer {
    /// Leaves the property out.
    public mutating func encode(_ value: RaisedEvents, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
    /// Returns a value without events, whether the property is there or not.
    public func decode(_ type: RaisedEvents.Type, forKey key: Key) throws -> RaisedEvents {
        RaisedEvents()
    }
}

/// Tracks which entities of one context have raised events, by numbers that the context assigns.
final class PendingEventTracker {
    /// The first number since the last call of ``takeAll()``.
    ///
    /// Most units of work raise the events of one entity, which needs no array.
    private var first: Int?

    /// The other numbers.
    private var others: [Int] = []

    /// Notes that the entity `number`, which had no events, has raised an event.
    func note(_ number: Int) {
        if first == nil { first = number } else { others.append(number) }
    }

    /// Returns the numbers noted since the last call, each once; `nil` if there are none.
    func takeAll() -> (first: Int, others: [Int])? {
        guard let first else { return nil }
        self.first = nil
        if others.isEmpty { return (first, []) }
        defer { others.removeAll() }
        return (first, others)
    }
}

// Unavailable declarations: the compiler considers them for code that has no other meaning, and prints their messages.

extension HasDomainEvents {
    /// Explains how an entity gets the property.
    @available(
        *, unavailable,
        message: """
            An entity keeps the events that it raises. To fix, write '@DomainEntity' before the class, or declare \
            'var raisedEvents = RaisedEvents()'.
            """
    )
    @_documentation(visibility: internal)
    public var raisedEvents: RaisedEvents {
        get { RaisedEvents() }
        set {}
    }
}

/// Explains why a type can't raise events.
@available(*, unavailable, message: "Only entities raise events. To fix, write '@DomainEntity' before the class.")
@_documentation(visibility: internal)
public func raiseEvent(_ event: some DomainEvent) {}
