// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage
import HeadraceTesting
import Testing

@testable import HeadraceDomain

@Suite struct DocumentFormTests {
    /// A document that is reported as canonical is written as the same bytes.
    @Test(arguments: [6, 22])
    func aCanonicalDocumentIsWrittenAsItWasRead(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var canonicalCount = 0
        var otherCount = 0

        for round in 0..<3_000 {
            var json = try DocumentCoding.encode(Tag(using: &generator))
            json.damage(using: &generator)
            let read: (entity: Tag, isCanonical: Bool)? = try? DocumentCoding.decodeCheckingForm(document(json))
            guard let read else { continue }
            if read.isCanonical {
                canonicalCount += 1
                #expect(try DocumentCoding.encode(read.entity) == json, "round \(round)")
            } else {
                otherCount += 1
            }
        }

        #expect(canonicalCount > 100)
        #expect(otherCount > 100)
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

    @Test func aStoredDocumentOfAnEarlierVersionIsMigratedAndWrittenOnlyWhenChanged() async throws {
        let store = try InMemoryStore(entities: [Guest.self])
        let old = #"{"id":"a","name":"Ada"}"#
        let document = StoredDocument(
            reference: EntityReference(kind: "guest", key: "a"), version: 1, schemaVersion: 1, json: Data(old.utf8)
        )
        try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: document)]))
        func execute(_ body: nonisolated(nonsending) (Guest?) async throws -> Void) async throws -> String? {
            try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute { context in
                try await body(context.find(Guest.self, id: "a"))
            }
            return try await store.find(document.reference).map { String(decoding: $0.json, as: UTF8.self) }
        }

        #expect(try await EntityContext(store).find(Guest.self, id: "a")?.city == "unknown")
        #expect(try await execute { $0?.name = "Ada" } == old)
        #expect(try await execute { $0?.city = "Bath" } == #"{"city":"Bath","id":"a","name":"Ada"}"#)
        #expect(try await EntityContext(store).fetch(Guest.self).map(\.city) == ["Bath"])
    }

    @Test func anOptionalValueThatIsEncodedAsNullIsReadAsByCodable() throws {
        let json = try codableJSON(of: Blank(id: 1))
        #expect(String(decoding: json, as: UTF8.self) == #"{"id":1,"nothing":null}"#)
        #expect(try DocumentCoding.encode(Blank(id: 1)) == json)

        let expected = try DocumentCoding.decode(Blank.self, from: json)
        let actual = try DocumentCoding.decode(document(json)) as Blank

        #expect((actual.nothing == nil) == (expected.nothing == nil))
    }

    @Test func aRawValueThatIsChangedWhenItIsReadIsNotCanonical() throws {
        let (address, isCanonical): (Address, Bool) = try DocumentCoding.decodeCheckingForm(
            document(#"{"id":"ADA@example.com"}"#)
        )
        #expect(address.id.rawValue == "ada@example.com")
        #expect(!isCanonical)

        let (_, isOther): (Address, Bool) = try DocumentCoding.decodeCheckingForm(
            document(#"{"id":"ada@example.com"}"#))
        #expect(isOther)
    }

    #if DEBUG
    @Test func aDefaultThatDiffersEachTimeIsNotReported() throws {
        let visit: Visit = try DocumentCoding.decode(document(#"{"id":1,"page":{}}"#))

        #expect(visit.id == 1)
    }

    @Test func aConformanceThatDiffersFromCodableIsReported() throws {
        let error = #expect(throws: EncodingError.self) { try DocumentCoding.encode(Misspelt()) }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.debugDescription.contains("CodingKeys"))

        let json = try codableJSON(of: Misspelt())
        #expect(throws: StoreError.self) { try DocumentCoding.decode(document(json)) as Misspelt }
    }
    #endif
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

/// An entity in its second version.
private final class Guest: StoredEntity {
    static let entityName = "guest"
    static let schemaVersion = 2
    static let schemaMigrations = [JSONMigration(from: 1) { $0["city"] = .string("unknown") }]

    let id: String
    var city: String
    var name: String
    var raisedEvents = RaisedEvents()

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(city, forKey: "city")
        try encoder.encode(id, forKey: "id")
        try encoder.encode(name, forKey: "name")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        city = try decoder.decode(String.self, forKey: "city")
        id = try decoder.decode(String.self, forKey: "id")
        name = try decoder.decode(String.self, forKey: "name")
        try decoder.endObject()
    }
}

/// An entity with a value that encodes itself as `null`.
private final class Blank: StoredEntity {
    struct Nothing: Codable {
        init() {}
        init(from decoder: any Decoder) throws {}

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    static let entityName = "blank"

    let id: Int
    var nothing: Nothing?
    var raisedEvents = RaisedEvents()

    init(id: Int) {
        self.id = id
        nothing = Nothing()
    }

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(id, forKey: "id")
        try encoder.encode(nothing, forKey: "nothing")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        id = try decoder.decode(Int.self, forKey: "id")
        nothing = try decoder.decode(Nothing?.self, forKey: "nothing")
        try decoder.endObject()
    }
}

/// An entity with an identifier in lower case.
private final class Address: StoredEntity {
    struct Mail: RawRepresentable, EntityIdentifier, DocumentCodable {
        let rawValue: String

        init(rawValue: String) { self.rawValue = rawValue.lowercased() }
        func encode(to encoder: inout DocumentEncoder) throws { try self.rawValue.encode(to: &encoder) }
        init(from decoder: inout DocumentDecoder) throws { self = try decoder.decode(rawValueOf: Self.self) }
    }

    static let entityName = "address"

    let id: Mail
    var raisedEvents = RaisedEvents()

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(id, forKey: "id")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        id = try decoder.decode(Mail.self, forKey: "id")
        try decoder.endObject()
    }
}

#if DEBUG
/// An entity with a value that makes an identifier if it has none.
private final class Visit: StoredEntity {
    struct Page: Codable {
        let id: UUID

        init(from decoder: any Decoder) throws {
            id = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(UUID.self, forKey: .id) ?? UUID()
        }
    }

    static let entityName = "visit"

    let id: Int
    let page: Page
    var raisedEvents = RaisedEvents()

    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(id, forKey: "id")
        try encoder.encode(page, forKey: "page")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        id = try decoder.decode(Int.self, forKey: "id")
        page = try decoder.decode(Page.self, forKey: "page")
        try decoder.endObject()
    }
}
#endif
