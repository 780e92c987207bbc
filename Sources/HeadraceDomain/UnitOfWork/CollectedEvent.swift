//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceStorage

/// An event that a unit of work has taken from the entity that raised it.
public struct CollectedEvent: Sendable {
    /// What happened.
    public let event: any DomainEvent

    /// The entity that raised it, or `nil` where that is not kept by a store.
    public let source: EntityReference?

    /// The names of the subscriptions to which a store is to deliver it.
    public var subscriptions: [String]

    /// Creates the record of an event; it goes to no subscription unless told.
    public init(event: any DomainEvent, source: EntityReference?, subscriptions: [String] = []) {
        self.event = event
        self.source = source
        self.subscriptions = subscriptions
    }
}

extension CollectedEvent {
    /// Takes the events from `entities`, which keep none of them, and gives them in the order raised.
    public static func take(from entities: some Sequence<any HasDomainEvents>) -> [CollectedEvent] {
        var taken: [(order: UInt64, event: CollectedEvent)] = []
        for entity in entities where entity.raisedEvents.count > 0 {
            let source = (entity as? any StoredEntity).map { EntityReference(to: $0) }
            for entry in entity.raisedEvents.takeAll() {
                taken.append((entry.order, CollectedEvent(event: entry.event, source: source)))
            }
        }
        return taken.sorted { $0.order < $1.order }.map(\.event)
    }
}
