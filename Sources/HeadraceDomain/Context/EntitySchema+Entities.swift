// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceCore
import HeadraceJSON
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

/// A type whose entities own entities of other types, which a store declares together with them.
package protocol OwnerOfEntities: StoredEntity {
    /// The types of the owned entities.
    static var ownedEntities: [any StoredEntity.Type] { get }
}

extension EntitySchema.Kind {
    /// Returns the kinds of the documents in which the entities of `type` are stored.
    fileprivate static func all<Entity: StoredEntity>(of type: Entity.Type) -> [EntitySchema.Kind] {
        if let eventSourced = type as? any EventSourcedEntity.Type { return sourced(eventSourced) }
        guard let owner = type as? any OwnerOfEntities.Type else { return [Self(of: type)] }
        return [Self(of: type)] + owner.ownedEntities.flatMap { all(of: $0) }
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

extension DocumentCoding {
    /// Encodes `entity` as ``DocumentCodable`` writes it.
    ///
    /// - Throws: `EncodingError`; the errors of the entity.
    package static func encode<Entity: StoredEntity>(_ entity: Entity) throws -> Data {
        try JSONDocumentEncoder.encode(entity) { writer in
            var encoder = DocumentEncoder(writer: writer)
            try entity.encode(to: &encoder)
        }
    }

    /// Encodes `entity` as ``DocumentCodable`` writes it, and returns `nil` if the result equals `json`.
    ///
    /// - Throws: `EncodingError`; the errors of the entity.
    package static func encode<Entity: StoredEntity>(_ entity: Entity, unlessEqualTo json: Data) throws -> Data? {
        try JSONDocumentEncoder.encode(entity, unlessEqualTo: json) { writer in
            var encoder = DocumentEncoder(writer: writer)
            try entity.encode(to: &encoder)
        }
    }

    /// Decodes an entity from a document of its current version or an earlier version.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``.
    package static func decode<Entity: StoredEntity>(_ document: StoredDocument) throws -> Entity {
        try decodeCheckingForm(document).entity
    }

    /// Decodes an entity, and compares the document with the document that the entity would be encoded as.
    ///
    /// - Returns: The entity, and whether it would be encoded as the same bytes; `false` if that is unknown.
    /// - Throws: ``HeadraceStorage/StoreError``.
    static func decodeCheckingForm<Entity: StoredEntity>(
        _ document: StoredDocument
    ) throws -> (entity: Entity, isCanonical: Bool) {
        if document.schemaVersion > Entity.schemaVersion {
            throw StoreError.newerDocument(document, supported: Entity.schemaVersion)
        }
        do {
            let isOld = document.schemaVersion < Entity.schemaVersion
            let json =
                isOld ? try Entity.schemaMigrations.migrate(document.json, from: document.schemaVersion) : document.json
            let result = try JSONDocumentDecoder.decode(Entity.self, from: json) { reader in
                var decoder = DocumentDecoder(reader: reader)
                defer { reader = decoder.reader }
                return try Entity(from: &decoder)
            }
            #if DEBUG
            if result.isDirect { try requireSameEntity(as: result.value, from: json) }
            #endif
            return (result.value, result.isCanonical && !isOld)
        } catch {
            throw StoreError.undecodable(document, as: Entity.self, cause: error)
        }
    }

    #if DEBUG
    /// Throws unless `Codable` decodes an entity from `json` that it encodes as it encodes `entity`.
    private static func requireSameEntity<Entity: StoredEntity>(as entity: Entity, from json: Data) throws {
        let expected = try JSONDocumentEncoder.bytes(of: decode(Entity.self, from: json))
        let actual = try JSONDocumentEncoder.bytes(of: entity)
        // A type that decodes a random value or the time, for example in place of a missing member, can't be compared.
        if try actual == expected || expected != JSONDocumentEncoder.bytes(of: decode(Entity.self, from: json)) {
            return
        }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription: """
                    'init(from: inout DocumentDecoder)' of \(Entity.self) reads \(String(decoding: actual, as: UTF8.self)), and \
                    Codable reads \(String(decoding: expected, as: UTF8.self)). To fix, declare 'CodingKeys', \
                    'encode(to:)', and 'init(from:)' in the type itself and not in an extension, so that the macro sees \
                    them; or read the same members.
                    """
            )
        )
    }
    #endif

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

extension InMemoryStore {
    /// Creates an empty store for these types of entity.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `invalidSchema`: see
    ///   ``HeadraceStorage/EntitySchema/init(_:)``.
    public convenience init(entities: [any StoredEntity.Type]) throws {
        self.init(schema: try EntitySchema(entities))
    }
}
