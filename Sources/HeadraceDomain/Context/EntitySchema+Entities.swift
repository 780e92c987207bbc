// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
public import HeadraceStorage

extension EntitySchema {
    /// Creates the schema of `entities`.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `invalidSchema` if two types have the same name, a name is
    ///   empty, two indexes of a type have the same name, the migrations of a type don't lead up to its version, or the
    ///   declarations of an ``HeadraceDomain/EventSourcedEntity`` contradict one another.
    public init(_ entities: [any StoredEntity.Type]) throws {
        for entity in entities {
            if entity.entityName.isEmpty {
                throw StoreError.invalidSchema("The entityName of '\(String(naming: entity))' is empty.")
            }
        }
        try self.init(kinds: entities.flatMap { Kind.all(of: $0) })
        for entity in entities {
            if let eventSourced = entity as? any EventSourcedEntity.Type { try Self.validate(eventSourced) }
            let versions = entity.schemaMigrations.map(\.version)
            if versions != Set(versions).sorted() || versions.contains(where: { $0 < 1 || $0 >= entity.schemaVersion })
            {
                throw StoreError.invalidMigrations(of: entity, versions: versions)
            }
        }
    }
}

extension EntitySchema {
    private static func validate<Entity: EventSourcedEntity>(_ entity: Entity.Type) throws {
        if let mistake = EventTable.of(entity).mistake {
            throw StoreError.invalidSchema(
                "The appliedEvents of '\(String(naming: entity))' have a mistake: \(mistake)")
        }
        if Entity.appliedEvents.isEmpty {
            throw StoreError.invalidSchema("The appliedEvents of '\(String(naming: entity))' are empty.")
        }
        if !Entity.schemaMigrations.isEmpty {
            throw StoreError.invalidSchema(
                """
                '\(String(naming: entity))' has schemaMigrations, which an event-sourced entity doesn't use: its state is built \
                from its events again. To fix, remove them, and raise the schemaVersion.
                """
            )
        }
        if Entity.snapshotInterval < 1 {
            throw StoreError.invalidSchema("The snapshotInterval of '\(String(naming: entity))' is less than 1.")
        }
    }
}

extension EntitySchema.Kind {
    /// Returns the kinds of the documents in which the entities of `type` are stored.
    fileprivate static func all<Entity: StoredEntity>(of type: Entity.Type) -> [EntitySchema.Kind] {
        guard let eventSourced = type as? any EventSourcedEntity.Type else { return [Self(of: type)] }
        return sourced(eventSourced)
    }

    private static func sourced<Entity: EventSourcedEntity>(_ type: Entity.Type) -> [EntitySchema.Kind] {
        // A store that builds the indexes of the entities again must know the kind of their streams by then.
        [
            Self(name: StreamReferences.kind(of: type), schemaVersion: 1, indexes: []) { _ in [] },
            Self(
                name: Entity.entityName,
                schemaVersion: Entity.schemaVersion,
                indexes: declared(type),
                computation: { try StreamFold<Entity>($0) }
            ),
        ]
    }

    private static func declared<Entity: StoredEntity>(_ type: Entity.Type) -> [EntitySchema.Index] {
        Entity.indexes.map {
            EntitySchema.Index(name: $0.name, isUnique: $0.isUnique, holdsOneValue: $0.holdsOneValue)
        }
    }

    /// Creates the kind of the entities of `type`.
    fileprivate init<Entity: StoredEntity>(of type: Entity.Type) {
        self.init(
            name: Entity.entityName,
            schemaVersion: Entity.schemaVersion,
            indexes: Self.declared(type),
            entries: { document in
                let entity: Entity = try DocumentCoding.decode(document)
                return DocumentCoding.entries(of: entity)
            }
        )
    }
}

extension StoredEntity {
    /// The names of the kinds of documents in which the entities are stored.
    package static var storedKinds: [String] { EntitySchema.Kind.all(of: Self.self).map(\.name) }
}
