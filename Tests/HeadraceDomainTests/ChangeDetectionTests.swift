// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

/// How a context finds out whether an entity was changed, if the entity doesn't encode as it was stored.
@Suite(.timeLimit(.minutes(1))) struct ChangeDetectionTests {
    private let store: InMemoryStore

    init() async throws {
        store = try InMemoryStore(entities: [Label.self])
        let document = StoredDocument(
            reference: EntityReference(kind: "label", key: "a"),
            version: 1,
            schemaVersion: 1,
            json: Data(#"{"id":"a","text":"  red "}"#.utf8)
        )
        try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: document)]))
    }

    private nonisolated(nonsending) func execute(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Void
    ) async throws {
        try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute(body)
    }

    private nonisolated(nonsending) func version() async throws -> Int? {
        try await store.find(EntityReference(kind: "label", key: "a"))?.version
    }

    /// The context expects changes at first, and none after several reads.
    @Test func aTypeThatChangesItsValuesOnDecodingIsReadWithoutAChange() async throws {
        for _ in 1...5 {
            try await execute { context in
                let found = try await context.find(Label.self, id: "a")
                #expect(found?.text == "red")
            }
            try await execute { context in
                let fetched = try await context.fetch(Label.self)
                #expect(fetched.map(\.text) == ["red"])
            }
        }

        #expect(try await version() == 1)
    }

    @Test(arguments: [0, 5])
    func aChangeOfSuchATypeIsStored(earlierReads: Int) async throws {
        for _ in 0..<earlierReads {
            try await execute { _ = try await $0.find(Label.self, id: "a") }
        }

        try await execute { try await $0.find(Label.self, id: "a")?.text = "blue" }

        #expect(try await version() == 2)
        #expect(try await EntityContext(store).find(Label.self, id: "a")?.text == "blue")
    }

    @Test func aLaterChangeAfterManyReadsOrManyChangesIsDetected() async throws {
        for number in 1...5 {
            try await execute { try await $0.find(Label.self, id: "a")?.text = "\(number)" }
            #expect(try await version() == 1 + number)
        }
        for _ in 1...5 {
            try await execute { _ = try await $0.find(Label.self, id: "a") }
        }
        #expect(try await version() == 6)

        try await execute { try await $0.find(Label.self, id: "a")?.text = "last" }

        #expect(try await version() == 7)
    }
}

/// An entity that removes the spaces around its text when it is decoded.
private final class Label: StoredEntity {
    static let entityName = "label"

    let id: String
    var text: String
    var raisedEvents = RaisedEvents()

    private enum CodingKeys: CodingKey { case id, text }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text).trimmingCharacters(in: .whitespaces)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(text, forKey: .text)
    }
}
