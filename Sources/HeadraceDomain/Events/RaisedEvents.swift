// SPDX-License-Identifier: Apache-2.0

import Synchronization

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
