// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceJSON
package import HeadraceStorage

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
