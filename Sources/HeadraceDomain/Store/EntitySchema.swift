//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// The types of entity that a store keeps, by their stored names.
public struct EntitySchema: Sendable {
    /// An index of a kind.
    public struct Index: Hashable, Sendable {
        /// Its name among the indexes of the kind.
        public let name: String

        /// Whether two entities may not have the same value.
        public let isUnique: Bool

        /// Whether no entity has more than one value in it.
        public let holdsOneValue: Bool

        /// Creates the description of an index.
        public init(name: String, isUnique: Bool, holdsOneValue: Bool) {
            self.name = name
            self.isUnique = isUnique
            self.holdsOneValue = holdsOneValue
        }
    }

    /// One type of entity.
    public struct Kind: Sendable {
        /// Its ``StoredEntity/entityName``.
        public let name: String

        /// Its ``StoredEntity/schemaVersion``.
        public let schemaVersion: Int

        /// Its indexes, in the order declared.
        public let indexes: [Index]

        /// Gives the entries of a stored document in all indexes, to make them anew.
        public let entries: @Sendable (_ document: StoredDocument) throws -> Set<ChangeSet.IndexEntry>
    }

    /// The kinds, in the order given.
    public let kinds: [Kind]

    private let names: Set<String>

    /// Creates a schema of `entities`.
    ///
    /// - Throws: ``StoreError`` with the code `invalidSchema` where two types share a name, a name is empty,
    ///   two indexes of a type share a name, or the migrations of a type do not lead up to its version.
    public init(_ entities: [any StoredEntity.Type]) throws {
        kinds = entities.map { Self.kind(of: $0) }
        names = Set(kinds.map(\.name))
        for (kind, entity) in zip(kinds, entities) {
            if kind.name.isEmpty {
                throw StoreError.invalidSchema("The entityName of '\(String(naming: entity))' is empty.")
            }
            if kinds.count(where: { $0.name == kind.name }) > 1 {
                throw StoreError.invalidSchema("Two types of entity have the entityName '\(kind.name)'.")
            }
            if Set(kind.indexes.map(\.name)).count < kind.indexes.count {
                throw StoreError.invalidSchema("Two indexes of '\(kind.name)' have one name.")
            }
            let versions = entity.schemaMigrations.map(\.version)
            if versions != Set(versions).sorted() || versions.contains(where: { $0 < 1 || $0 >= kind.schemaVersion }) {
                throw StoreError.invalidMigrations(of: entity, versions: versions)
            }
        }
    }

    /// Whether entities of the kind `name` may be stored.
    public func contains(_ name: String) -> Bool {
        names.contains(name)
    }

    /// Whether two entities of the kind `name` may not have the same value in `index`.
    public func isUnique(_ index: String, of name: String) -> Bool {
        kinds.first { $0.name == name }?.indexes.first { $0.name == index }?.isUnique ?? false
    }

    private static func kind<Entity: StoredEntity>(of type: Entity.Type) -> Kind {
        Kind(
            name: Entity.entityName,
            schemaVersion: Entity.schemaVersion,
            indexes: Entity.indexes.map {
                Index(name: $0.name, isUnique: $0.isUnique, holdsOneValue: $0.holdsOneValue)
            },
            entries: { document in
                let entity: Entity = try DocumentCoding.decode(document)
                return DocumentCoding.entries(of: entity)
            }
        )
    }
}
