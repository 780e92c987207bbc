// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

/// The entities that a context tracks, in the order in which they were read or inserted.
struct TrackedEntities {
    /// Number of entities up to which comparing references is faster than hashing one.
    private static let fewCount = 8

    /// All entities, including those that were replaced.
    private(set) var all: [TrackedEntity] = []

    /// The indices of the entities in ``all`` that aren't replaced, once there are more than a few.
    private var places: [EntityReference: Int] = [:]

    /// The entity of `reference`, or `nil` if it is unknown.
    subscript(reference: EntityReference) -> TrackedEntity? {
        if all.count > Self.fewCount { return places[reference].map { all[$0] } }
        return all.first { !$0.isReplaced && $0.reference == reference }
    }

    /// The entity of `kind` with `key`, or `nil` if it is unknown.
    subscript(kind: EntityKind, key: String) -> TrackedEntity? {
        if all.count > Self.fewCount { return self[EntityReference(kind: kind.name, key: key)] }
        return all.first {
            !$0.isReplaced && $0.reference.key.hasSameBytes(as: key)
                // Two types may have the same name.
                && ($0.kind === kind || $0.kind.name.hasSameBytes(as: kind.name))
        }
    }

    /// Adds `entity`, which replaces the entity of the same reference.
    mutating func append(_ entity: TrackedEntity) {
        all.append(entity)
        if all.count <= Self.fewCount { return }
        if places.isEmpty {
            for (index, entity) in all.enumerated() { places[entity.reference] = index }
        } else {
            places[entity.reference] = all.count - 1
        }
    }
}
