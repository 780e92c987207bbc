//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceStorage
import HeadraceTesting
import Testing

@testable import HeadraceDomain

@Suite(.timeLimit(.minutes(5))) struct DocumentCodableTests {
    /// Returns the document that `Codable` writes.
    private func codableJSON(of value: some Encodable) throws -> Data {
        try DocumentCoding.encode(value)
    }

    private func document(_ json: Data, version: Int = 1) -> StoredDocument {
        StoredDocument(
            reference: EntityReference(kind: Parcel.entityName, key: ""),
            version: 1,
            schemaVersion: version,
            json: json
        )
    }

    private func document(_ json: String) -> StoredDocument { document(Data(json.utf8)) }

    @Test(arguments: [1, 18, 2_026])
    func randomEntitiesAreWrittenAndReadAsByCodable(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)

        for round in 0..<400 {
            let parcel = Parcel(using: &generator)
            let json = try DocumentCoding.encode(parcel)
            let expected = try codableJSON(of: parcel)
            #expect(json == expected, "round \(round)")
            #expect(try DocumentCoding.encode(parcel, unlessEqualTo: expected) == nil)

            let (copy, _): (Parcel, Bool) = try DocumentCoding.decodeCheckingForm(document(json))
            #expect(try codableJSON(of: copy) == expected, "round \(round)")
        }
    }

    /// A document with a few other bytes is refused by both coders, or read as the same entity.
    @Test(arguments: [2, 19])
    func damagedDocumentsAreReadAsByCodable(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var readCount = 0
        let parts = [
            "0", "1", "-", ".", "e5", "\"", "\\u0061", "{", "}", "[", "]", ",", ":", " ", "null", "true", "1.0", ".10",
            "é",
            "\"note\":null", "\u{0}",
        ]

        for round in 0..<1_000 {
            var json = try DocumentCoding.encode(Parcel(using: &generator))
            for _ in 0...Int.random(in: 0...1, using: &generator) {
                let offset = Int.random(in: 0..<json.count, using: &generator)
                let end = min(json.count, offset + Int.random(in: 0...2, using: &generator))
                let part = parts[Int.random(in: 0..<parts.count, using: &generator)]
                json.replaceSubrange(offset..<end, with: Data(part.utf8))
            }
            let expected = Result { try codableJSON(of: DocumentCoding.decode(Parcel.self, from: json)) }
            let actual = Result {
                try codableJSON(of: DocumentCoding.decode(document(json)) as Parcel)
            }
            switch (expected, actual) {
            case (.success(let expected), .success(let actual)):
                readCount += 1
                #expect(expected == actual, "round \(round)")
            case (.failure, .failure): break
            default: Issue.record("round \(round): \(String(decoding: json, as: UTF8.self)) is read as \(actual)")
            }
        }

        #expect(readCount > 50)
    }

    @Test func aWrittenDocumentIsCanonicalAndOtherFormsAreNot() throws {
        let canonical = #"{"count":1,"id":"00000000-0000-0000-0000-0000000000AB","name":"a\nb"}"#
        let others = [
            #"{"id":"00000000-0000-0000-0000-0000000000AB","count":1,"name":"a\nb"}"#,
            #"{"count": 1,"id":"00000000-0000-0000-0000-0000000000AB","name":"a\nb"}"#,
            #"{"count":1,"id":"00000000-0000-0000-0000-0000000000ab","name":"a\nb"}"#,
            #"{"count":1,"id":"00000000-0000-0000-0000-0000000000AB","name":"a\u000ab"}"#,
            #"{"count":1,"id":"00000000-0000-0000-0000-0000000000AB","name":"a\nb","note":null}"#,
            #"{"count":1,"id":"00000000-0000-0000-0000-0000000000AB","name":"a\nb","other":1}"#,
            #"{"count":1.0,"id":"00000000-0000-0000-0000-0000000000AB","name":"a\nb"}"#,
        ]

        let (tag, isCanonical): (Tag, Bool) = try DocumentCoding.decodeCheckingForm(document(canonical))

        #expect(isCanonical)
        #expect(try DocumentCoding.encode(tag) == Data(canonical.utf8))
        for other in others {
            let (tag, isCanonical): (Tag, Bool) = try DocumentCoding.decodeCheckingForm(document(other))
            #expect(!isCanonical, "\(other)")
            #expect(try DocumentCoding.encode(tag) == Data(canonical.utf8))
        }
    }

    @Test func errorsAreThoseOfCodable() throws {
        var generator = SeededGenerator(seed: 3)
        let parcel = Parcel(using: &generator)
        parcel.items = [Parcel.Item(amounts: [:], name: "", price: .nan, parts: [])]

        let error = #expect(throws: EncodingError.self) { try DocumentCoding.encode(parcel) }

        guard case .invalidValue(_, let context) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["items", "Index 0", "price"])
        #expect(throws: StoreError.self) {
            try DocumentCoding.decode(document(#"{"count":1,"id":"x","name":""}"#)) as Tag
        }
        #expect(throws: StoreError.self) { try DocumentCoding.decode(document("")) as Tag }
    }

    @Test func aValueThatIsNestedTooDeeplyIsAnError() throws {
        var item = Parcel.Item(amounts: [:], name: "", price: nil, parts: [])
        for _ in 0..<300 { item = Parcel.Item(amounts: [:], name: "", price: nil, parts: [item]) }
        var generator = SeededGenerator(seed: 4)
        let parcel = Parcel(using: &generator)
        parcel.items = [item]

        #expect(throws: EncodingError.self) { try DocumentCoding.encode(parcel) }
    }

    @Test func anEntityIsStoredOnceForEachChange() async throws {
        let store = try InMemoryStore(entities: [Tag.self])
        let id = UUID()
        func execute(_ body: nonisolated(nonsending) (EntityContext) async throws -> Void) async throws -> Int? {
            try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute(body)
            return try await store.find(EntityReference(kind: "tag", key: id.storageKey))?.version
        }

        #expect(try await execute { $0.insert(Tag(id: id)) } == 1)
        #expect(try await execute { _ = try await $0.find(Tag.self, id: id) } == 1)
        #expect(try await execute { try await $0.find(Tag.self, id: id)?.count = 5 } == 2)
        #expect(try await execute { try await $0.find(Tag.self, id: id)?.count = 5 } == 2)
        #expect(try await EntityContext(store).find(Tag.self, id: id)?.count == 5)
    }

    #if DEBUG
    @Test func aConformanceThatDiffersFromCodableIsReported() throws {
        let error = #expect(throws: EncodingError.self) { try DocumentCoding.encode(Misspelt()) }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.debugDescription.contains("CodingKeys"))

        let json = try codableJSON(of: Misspelt())
        #expect(throws: StoreError.self) { try DocumentCoding.decode(document(json)) as Misspelt }
    }
    #endif
}

private final class Tag: StoredEntity {
    static let entityName = "tag"

    let id: UUID
    var count = 1
    var name = "a\nb"
    var note: String?
    var raisedEvents = RaisedEvents()

    init(id: UUID) {
        self.id = id
    }

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(count, forKey: "count")
        try encoder.encode(id, forKey: "id")
        try encoder.encode(name, forKey: "name")
        try encoder.encode(note, forKey: "note")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        count = try decoder.decode(Int.self, forKey: "count")
        id = try decoder.decode(UUID.self, forKey: "id")
        name = try decoder.decode(String.self, forKey: "name")
        note = try decoder.decode(String?.self, forKey: "note")
        try decoder.endObject()
    }
}

/// An entity whose conformance writes another key than `Codable`, and reads a property of its own.
private final class Misspelt: StoredEntity {
    static let entityName = "misspelt"

    var id = 1
    var raisedEvents = RaisedEvents()

    private enum CodingKeys: String, CodingKey { case id }

    init() {}

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(id, forKey: "number")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        id = try decoder.decode(Int.self, forKey: "id") + 1
        try decoder.endObject()
    }
}
