//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import Foundation
import HeadraceCore

/// How entities and events become JSON and back: equal states become equal bytes.
package enum DocumentCoding {
    /// Encodes `value`, with its sets and dictionaries in an order that depends on nothing but their elements.
    package static func encode(_ value: some Encodable) throws -> Data {
        try CanonicalJSON.encode(value)
    }

    private static let decoder = JSONDecoder()

    package static func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
        try decoder.decode(type, from: json)
    }

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
