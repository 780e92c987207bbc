// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a unit of work must know about a type of entity, read from the type once.
///
/// Two types are the same if their kinds are the same object.
final class EntityKind: Sendable {
    /// The ``StoredEntity/entityName``.
    let name: String

    /// Whether the type has indexes.
    let hasIndexes: Bool

    /// The type, if its entities are event-sourced; otherwise `nil`.
    let eventSourced: (any EventSourcedEntity.Type)?

    /// How often entities were changed after they were read, compared with how often they were not; from 0 to 3.
    private let changes = Atomic(2)

    private static let kinds = TypeCache<EntityKind>()

    private init<Entity: StoredEntity>(_ type: Entity.Type) {
        name = Entity.entityName
        hasIndexes = !Entity.indexes.isEmpty
        eventSourced = type as? any EventSourcedEntity.Type
    }

    /// Returns the kind of the entities of `type`.
    static func of<Entity: StoredEntity>(_ type: Entity.Type) -> EntityKind {
        kinds.value(of: type) { EntityKind(type) }
    }

    /// Whether most entities are changed after they were read, to judge by the latest commits.
    ///
    /// It decides on speed only. Two tasks that change it at the same time may lose a change.
    var isUsuallyChanged: Bool { changes.load(ordering: .relaxed) >= 2 }

    /// Notes whether an entity that was read has changed.
    func note(isChanged: Bool) {
        let count = changes.load(ordering: .relaxed)
        if isChanged {
            if count < 3 { changes.store(count + 1, ordering: .relaxed) }
        } else if count > 0 {
            changes.store(count - 1, ordering: .relaxed)
        }
    }
}
