// SPDX-License-Identifier: Apache-2.0

package import HeadraceStorage

extension EntityReference {
    /// Creates a reference to `entity`.
    package init<Entity: StoredEntity>(to entity: Entity) {
        self.init(kind: Entity.entityName, key: entity.id.storageKey)
    }
}
