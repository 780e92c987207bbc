// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting

/// Returns the document that `Codable` writes.
func codableJSON(of value: some Encodable) throws -> Data {
    try DocumentCoding.encode(value)
}

/// Returns a document of version 1 with an empty identifier.
func document(_ json: Data) -> StoredDocument {
    StoredDocument(reference: EntityReference(kind: "parcel", key: ""), version: 1, schemaVersion: 1, json: json)
}

/// Returns a document of version 1 with an empty identifier.
func document(_ json: String) -> StoredDocument { document(Data(json.utf8)) }

extension Data {
    /// Replaces up to two bytes by a part of a document.
    mutating func damage(using generator: inout SeededGenerator) {
        let parts = [
            "0", "1", "-", ".", "e5", "\"", "\\u0061", "{", "}", "[", "]", ",", ":", " ", "null", "true", "1.0", ".10",
            "é", "\"note\":null", "\u{0}",
        ]
        let offset = generator.int(0...count - 1)
        let end = Swift.min(count, offset + generator.int(0...2))
        replaceSubrange(offset..<end, with: Data(generator.choose(parts).utf8))
    }
}

/// An entity without properties that only `Codable` writes.
final class Tag: StoredEntity {
    static let entityName = "tag"

    let id: UUID
    var count = 1
    var name = "a\nb"
    var note: String?
    var status: ParcelStatus?
    var texts: [String]?
    var weight: Double?
    var raisedEvents = RaisedEvents()

    init(id: UUID) {
        self.id = id
    }

    init(using generator: inout SeededGenerator) {
        id = generator.id()
        count = generator.int(-100...100)
        name = generator.text()
        note = generator.flip() ? nil : generator.text()
        status = generator.choose([nil, .sent, .received])
        texts = generator.flip() ? nil : [generator.text(), generator.text()]
        weight = generator.flip() ? nil : generator.double()
    }

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(count, forKey: "count")
        try encoder.encode(id, forKey: "id")
        try encoder.encode(name, forKey: "name")
        try encoder.encode(note, forKey: "note")
        try encoder.encode(status, forKey: "status")
        try encoder.encode(texts, forKey: "texts")
        try encoder.encode(weight, forKey: "weight")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        count = try decoder.decode(Int.self, forKey: "count")
        id = try decoder.decode(UUID.self, forKey: "id")
        name = try decoder.decode(String.self, forKey: "name")
        note = try decoder.decode(String?.self, forKey: "note")
        status = try decoder.decode(ParcelStatus?.self, forKey: "status")
        texts = try decoder.decode([String]?.self, forKey: "texts")
        weight = try decoder.decode(Double?.self, forKey: "weight")
        try decoder.endObject()
    }
}
