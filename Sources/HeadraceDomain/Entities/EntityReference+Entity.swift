//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HeadraceStorage

extension EntityReference {
    /// Creates a reference to `entity`.
    package init<Entity: StoredEntity>(to entity: Entity) {
        self.init(kind: Entity.entityName, key: entity.id.storageKey)
    }
}
