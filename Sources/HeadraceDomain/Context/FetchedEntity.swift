// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage

/// An entity that matches a query, with its place in the query's order.
struct FetchedEntity<Entity: StoredEntity> {
    let tracked: TrackedEntity
    let entity: Entity
    let place: DocumentQuery.Place

    /// Returns `nil` if a condition doesn't hold, or if the entity has no value in the order's index.
    init?(_ tracked: TrackedEntity, conditions: [EntityCondition<Entity>], order: EntityOrder<Entity>?) {
        guard let entity = tracked.entity as? Entity,
            conditions.allSatisfy({ $0.index.values(entity).contains(where: $0.test.accepts) })
        else { return nil }
        var value: IndexValue?
        if let order {
            let values = order.index.values(entity)
            value = order.isDescending ? values.max() : values.min()
            if value == nil { return nil }
        }
        place = DocumentQuery.Place(value: value, key: tracked.reference.key)
        self.tracked = tracked
        self.entity = entity
    }
}
