//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
public import HeadraceStorage

extension EntitySchema {
    /// Creates the schema of `entities`.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `invalidSchema` if two types have the same name, a name is
    ///   empty, two indexes of a type have the same name, or the migrations of a type don't lead up to its version.
    public init(_ entities: [any StoredEntity.Type]) throws {
        for entity in entities {
            if entity.entityName.isEmpty {
                throw StoreError.invalidSchema("The entityName of '\(String(naming: entity))' is empty.")
            }
        }
        try self.init(kinds: entities.map { Kind(of: $0) })
        for entity in entities {
            let versions = entity.schemaMigrations.map(\.version)
            if versions != Set(versions).sorted() || versions.contains(where: { $0 < 1 || $0 >= entity.schemaVersion })
            {
                throw StoreError.invalidMigrations(of: entity, versions: versions)
            }
        }
    }
}

extension EntitySchema.Kind {
    /// Creates the kind of the entities of `type`.
    fileprivate init<Entity: StoredEntity>(of type: Entity.Type) {
        self.init(
            name: Entity.entityName,
            schemaVersion: Entity.schemaVersion,
            indexes: Entity.indexes.map {
                EntitySchema.Index(name: $0.name, isUnique: $0.isUnique, holdsOneValue: $0.holdsOneValue)
            },
            entries: { document in
                let entity: Entity = try DocumentCoding.decode(document)
                return DocumentCoding.entries(of: entity)
            }
        )
    }
}
