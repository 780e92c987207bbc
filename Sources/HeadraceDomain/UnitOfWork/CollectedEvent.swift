// SPDX-License-Identifier: Apache-2.0

public import HeadraceStorage

/// An event that a unit of work has taken from the entity that raised it.
public struct CollectedEvent: Sendable {
    /// The event.
    public let event: any DomainEvent

    /// The entity that raised the event, or `nil` if a store doesn't keep that entity.
    public let source: EntityReference?

    /// The names of the subscriptions to which the store must deliver the event.
    public var subscriptions: [String]

    /// Creates a collected event; by default, it has no subscriptions.
    public init(event: any DomainEvent, source: EntityReference?, subscriptions: [String] = []) {
        self.event = event
        self.source = source
        self.subscriptions = subscriptions
    }
}

extension CollectedEvent {
    /// Removes the events from `entities` and returns them in the order raised.
    public static func take(from entities: some Sequence<any HasDomainEvents>) -> [CollectedEvent] {
        var taken: [(order: UInt64, event: CollectedEvent)] = []
        for entity in entities where entity.raisedEvents.count > 0 {
            let source = (entity as? any StoredEntity).map { EntityReference(to: $0) }
            entity.raisedEvents.takeAll { entry in
                taken.append((entry.order, CollectedEvent(event: entry.event, source: source)))
            }
        }
        return taken.sorted { $0.order < $1.order }.map(\.event)
    }
}
