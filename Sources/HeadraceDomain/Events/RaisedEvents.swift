//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The events that one entity has raised and no unit of work has taken yet.
///
/// It is not part of the entity's state. Any two are equal; encoding the entity leaves the property
/// out and decoding starts empty, so a stored entity looks the same with it and without.
public struct RaisedEvents {
    /// An event with its place among all events raised in this process.
    struct Entry: Sendable {
        let order: UInt64
        let event: any DomainEvent
    }

    private var entries: [Entry] = []

    /// Who is told when there are events, and under which number.
    private var watch: (by: PendingEventTracker, number: Int)?

    /// Starts without events.
    public init() {}

    /// The number of events.
    public var count: Int { entries.count }

    /// The events, in the order raised.
    public var events: [any DomainEvent] { entries.map(\.event) }

    mutating func append(_ event: some DomainEvent) {
        if entries.isEmpty, let watch { watch.by.note(watch.number) }
        let order = Self.lastOrder.wrappingAdd(1, ordering: .relaxed).newValue
        entries.append(Entry(order: order, event: event))
    }

    /// Gives the events and keeps none.
    mutating func takeAll() -> [Entry] {
        defer { entries.removeAll() }
        return entries
    }

    /// Tells `watch`, now or as soon as it is so, that `number` has events.
    mutating func watch(by watch: PendingEventTracker, as number: Int) {
        self.watch = (watch, number)
        if !entries.isEmpty { watch.note(number) }
    }

    /// Orders the events of different entities; relaxed, as one unit of work raises them one by one.
    private static let lastOrder = Atomic<UInt64>(0)
}

extension RaisedEvents: Hashable {
    /// Always true.
    public static func == (one: RaisedEvents, other: RaisedEvents) -> Bool { true }

    /// Adds nothing.
    public func hash(into hasher: inout Hasher) {}
}

extension RaisedEvents: Codable {
    private enum NoKey: CodingKey {}

    /// Starts without events, whatever is there.
    public init(from decoder: any Decoder) throws {}

    /// Writes an empty object where it is asked to write something.
    public func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: NoKey.self)
    }
}

// Synthesised `Codable` code prefers these to the generic methods, as they are more specific.

extension KeyedEncodingContainer {
    /// Leaves the property out.
    public mutating func encode(_ value: RaisedEvents, forKey key: Key) throws {}
}

extension KeyedDecodingContainer {
    /// Starts empty, whether the property is there or not.
    public func decode(_ type: RaisedEvents.Type, forKey key: Key) throws -> RaisedEvents {
        RaisedEvents()
    }
}
