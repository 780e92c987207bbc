// SPDX-License-Identifier: Apache-2.0

/// A type of event with its effect on the state of an ``EventSourcedEntity``.
public struct AppliedEvent<Entity: EventSourcedEntity>: Sendable {
    let type: any DurableDomainEvent.Type

    /// Changes an entity if the event has the type.
    let apply: @Sendable (Entity, any DomainEvent) -> Void

    /// Creates the effect of the events of `type`.
    ///
    /// - Parameters:
    ///   - type: The type of event.
    ///   - apply: Changes the entity. It can't fail, because the event has already happened. It must depend only on the entity
    ///     and the event: no time, no random value, no other object. It must not raise events. A commit applies the new events
    ///     a second time, and refuses a different result.
    /// - Returns: The effect.
    public static func on<Event: DurableDomainEvent>(
        _ type: Event.Type,
        _ apply: @escaping @Sendable (_ entity: Entity, _ event: Event) -> Void
    ) -> AppliedEvent {
        AppliedEvent(type: type) { entity, event in
            if let event = event as? Event { apply(entity, event) }
        }
    }
}
