// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

/// The applied events of one type of entity, read from the type once.
final class EventTable: Sendable {
    /// The types by their stored names.
    let registry: EventRegistry

    /// The first mistake in the list, which opening a store reports.
    let mistake: EventError?

    private let effects: [ObjectIdentifier: @Sendable (AnyObject, any DomainEvent) -> Void]

    private static let tables = TypeCache<EventTable>()

    private init<Entity: EventSourcedEntity>(_ type: Entity.Type) {
        var registry = EventRegistry()
        var mistake: EventError?
        var effects: [ObjectIdentifier: @Sendable (AnyObject, any DomainEvent) -> Void] = [:]
        for applied in Entity.appliedEvents {
            do {
                try Self.register(applied.type, in: &registry)
            } catch {
                mistake = mistake ?? error as? EventError
            }
            if effects[ObjectIdentifier(applied.type)] != nil {
                mistake = mistake ?? .ambiguous(applied.type.eventName, applied.type, applied.type)
            }
            effects[ObjectIdentifier(applied.type)] = { entity, event in
                if let entity = entity as? Entity { applied.apply(entity, event) }
            }
        }
        self.registry = registry
        self.mistake = mistake
        self.effects = effects
    }

    private static func register<Event: DurableDomainEvent>(
        _ type: Event.Type,
        in registry: inout EventRegistry
    ) throws {
        try registry.register(type)
    }

    /// Returns the table of the entities of `type`.
    static func of<Entity: EventSourcedEntity>(_ type: Entity.Type) -> EventTable {
        tables.value(of: type) { EventTable(type) }
    }

    /// Whether the events of `type` have an effect.
    func contains(_ type: any DomainEvent.Type) -> Bool {
        effects[ObjectIdentifier(type)] != nil
    }

    /// Changes `entity` as `event` requires.
    ///
    /// - Returns: Whether the event has an effect; `false` if its type is not among the applied events.
    @discardableResult
    func apply(_ event: any DomainEvent, to entity: some EventSourcedEntity) -> Bool {
        guard let effect = effects[ObjectIdentifier(type(of: event))] else { return false }
        effect(entity, event)
        return true
    }
}
