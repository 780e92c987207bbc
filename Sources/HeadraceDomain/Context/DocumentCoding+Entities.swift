//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HeadraceStorage

extension DocumentCoding {
    package static func decode<Entity: StoredEntity>(_ document: StoredDocument) throws -> Entity {
        if document.schemaVersion > Entity.schemaVersion {
            throw StoreError.newerDocument(document, supported: Entity.schemaVersion)
        }
        do {
            let isOld = document.schemaVersion < Entity.schemaVersion
            return try decode(
                Entity.self,
                from: isOld
                    ? Entity.schemaMigrations.migrate(document.json, from: document.schemaVersion) : document.json
            )
        } catch {
            throw StoreError.undecodable(document, as: Entity.self, cause: error)
        }
    }

    static func entries<Entity: StoredEntity>(of entity: Entity) -> Set<ChangeSet.IndexEntry> {
        var entries: Set<ChangeSet.IndexEntry> = []
        for index in Entity.indexes {
            for value in index.values(entity) {
                entries.insert(ChangeSet.IndexEntry(index: index.name, value: value))
            }
        }
        return entries
    }
}
