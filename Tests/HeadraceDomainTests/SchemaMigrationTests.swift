// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite struct SchemaMigrationTests {
    private let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    @Test func everyStoredVersionDecodes() throws {
        try GoldenFiles.check(Person.self, in: folder)
        try GoldenFiles.check(PersonMoved.self, in: folder)
    }

    @Test func aMissingSampleAndAnUndeclaredChangeAreReported() throws {
        let missing = #expect(throws: GoldenFileError.self) { try GoldenFiles.check(Order.self, in: folder) }
        #expect(missing?.file == "order.1.json")
        #expect(missing?.message.hasPrefix("'order.1.json', version 1 of 1, could not be read") == true)

        let changed = #expect(throws: GoldenFileError.self) { try GoldenFiles.check(Changed.self, in: folder) }
        #expect(changed?.file == "changed.1.json")
        #expect(changed?.message.contains(#"encodes today: {"id":"a","name":"x"}."#) == true)
    }

    @Test func anEntityIsMigratedWhenReadAndWrittenOnlyWhenChanged() async throws {
        let store = try InMemoryStore(entities: [Person.self])
        let old = #"{"id":"a","name":"Ada Lovelace"}"#
        try await store.commit(ChangeSet(writes: [write(old, version: 1)]))

        let context = EntityContext(store)
        let person = try #require(try await context.find(Person.self, id: "a"))
        #expect(person.givenName == "Ada")
        #expect(person.city == "unknown")
        try await context.commit([])
        #expect(try await document(in: store)?.json == Data(old.utf8))

        let again = try #require(try await context.find(Person.self, id: "a"))
        again.city = "London"
        try await context.commit([])

        let stored = try await document(in: store)
        #expect(stored?.schemaVersion == 3)
        #expect(stored?.version == 2)
        #expect(
            stored.map { String(decoding: $0.json, as: UTF8.self) }
                == #"{"city":"London","familyName":"Lovelace","givenName":"Ada","id":"a"}"#
        )
    }

    @Test func aFailingMigrationNamesTheEntityAndChangesNothing() async throws {
        let store = try InMemoryStore(entities: [Person.self])
        try await store.commit(ChangeSet(writes: [write(#"{"id":"a","name":"Plato"}"#, version: 1)]))

        let error = await #expect(throws: StoreError.self) {
            try await EntityContext(store).find(Person.self, id: "a")
        }

        #expect(error?.code == .undecodable)
        #expect(error?.entity == EntityReference(kind: "person", key: "a"))
        #expect(error?.cause is Failure)
    }

    @Test(arguments: [[2, 1], [1, 1], [0], [3], [1, 2, 3]])
    func invalidMigrationsAreRefused(versions: [Int]) throws {
        Mistaken.versions.withValue(versions) {
            let error = #expect(throws: StoreError.self) { try InMemoryStore(entities: [Mistaken.self]) }
            #expect(error?.code == .invalidSchema)
            #expect(error?.message.contains("start from the versions \(versions)") == true)
        }
    }

    private func document(in store: InMemoryStore) async throws -> StoredDocument? {
        try await store.find(EntityReference(kind: "person", key: "a"))
    }

    private func write(_ json: String, version: Int) -> ChangeSet.Write {
        ChangeSet.Write(
            document: StoredDocument(
                reference: EntityReference(kind: "person", key: "a"),
                version: 1,
                schemaVersion: version,
                json: Data(json.utf8)
            ),
            removedEntries: [],
            addedEntries: []
        )
    }
}

/// An entity whose versions have a full name, then two names, then an additional city.
private final class Person: StoredEntity {
    static let entityName = "person"
    static let schemaVersion = 3
    static let schemaMigrations = [
        JSONMigration(from: 1) { person in
            guard case .string(let name) = person.removeValue(forKey: "name"), let space = name.firstIndex(of: " ")
            else {
                throw Failure()
            }
            person["givenName"] = .string(String(name[..<space]))
            person["familyName"] = .string(String(name[space...].dropFirst()))
        },
        JSONMigration(from: 2) { $0["city"] = .string("unknown") },
    ]

    let id: String
    var givenName: String
    var familyName: String
    var city: String
    var raisedEvents = RaisedEvents()

    init(_ id: String, givenName: String, familyName: String, city: String) {
        self.id = id
        self.givenName = givenName
        self.familyName = familyName
        self.city = city
    }
}

private struct PersonMoved: DurableDomainEvent {
    static let eventName = "person-moved"
    static let eventVersion = 2
    static let eventMigrations = [JSONMigration(from: 1) { $0["to"] = $0.removeValue(forKey: "city") }]

    var to: String
}

private final class Changed: StoredEntity {
    static let entityName = "changed"

    var id = "a"
    var name = ""
    var raisedEvents = RaisedEvents()

    init() {}
}

private final class Mistaken: StoredEntity {
    @TaskLocal static var given: [Int] = []
    static let versions = $given

    static let entityName = "mistaken"
    static let schemaVersion = 3
    static var schemaMigrations: [JSONMigration] { given.map { JSONMigration(from: $0) { _ in } } }

    var id = ""
    var raisedEvents = RaisedEvents()
}
