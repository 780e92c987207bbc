// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import Headrace
import HeadraceDomain
import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting
import Testing

private enum Version1 {
    final class Member: StoredEntity {
        static let entityName = "member"

        let id: String
        var name: String
        var raisedEvents = RaisedEvents()

        init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }
}

private final class Member: StoredEntity {
    static let entityName = "member"
    static let schemaVersion = 2
    static let schemaMigrations = [
        JSONMigration(from: 1) { member in
            guard case .string(let name) = member.removeValue(forKey: "name") else { return }
            let names = name.split(separator: " ", maxSplits: 1)
            member["givenName"] = .string(String(names.first ?? ""))
            member["familyName"] = .string(String(names.dropFirst().first ?? ""))
        }
    ]

    let id: String
    var givenName: String
    var familyName: String
    var phone: String?
    var raisedEvents = RaisedEvents()
}

private struct MemberJoined: DurableDomainEvent {
    static let eventName = "member-joined"
    static let eventVersion = 2
    static let eventMigrations = [
        JSONMigration(from: 1) { event in
            event["club"] = .string("main")
        }
    ]
    var member: String
    var club: String
}

@Suite struct MigrationExamples {
    @Test func storedMembersAndEventsStillDecode() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
        try GoldenFiles.check(Member.self, in: folder)  // member.1.json, member.2.json
        try GoldenFiles.check(MemberJoined.self, in: folder)  // member-joined.1.json, …
    }

    @Test func aDocumentIsMigratedWhenItIsRead() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/club.sqlite"
            let old = try SQLiteStore(path: path, entities: [Version1.Member.self])
            let context = EntityContext(old)
            context.insert(Version1.Member(id: "1", name: "Ada Lovelace"))
            try await context.commit([])
            try old.close()

            let store = try SQLiteStore(path: path, entities: [Member.self])
            let member = try await EntityContext(store).find(Member.self, id: "1")

            #expect(member?.givenName == "Ada")
            #expect(member?.familyName == "Lovelace")
            let document = try await store.find(EntityReference(kind: "member", key: "1"))
            #expect(document?.schemaVersion == 1)
        }
    }

    @Test func aChangedDocumentIsStoredInTheNewShape() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/club.sqlite"
            let old = try SQLiteStore(path: path, entities: [Version1.Member.self])
            let context = EntityContext(old)
            context.insert(Version1.Member(id: "1", name: "Ada Lovelace"))
            try await context.commit([])
            try old.close()

            let store = try SQLiteStore(path: path, entities: [Member.self])
            try await UnitOfWork(delegator: RecordingDelegator(), context: EntityContext(store)).execute { context in
                try await context.find(Member.self, id: "1")?.givenName = "Augusta Ada"
            }

            let document = try await store.find(EntityReference(kind: "member", key: "1"))
            #expect(document?.schemaVersion == 2)
        }
    }

    @Test func theOldVersionCanNoLongerUseTheFile() async throws {
        try await withStoreFolder { folder in
            let path = folder + "/club.sqlite"
            let old = try SQLiteStore(path: path, entities: [Version1.Member.self])
            var configuration = SQLiteStore.Configuration()
            configuration.replacementTimeout = nil
            _ = try SQLiteStore(path: path, entities: [Member.self], configuration: configuration)

            let running = await #expect(throws: StoreError.self) {
                _ = try await EntityContext(old).find(Version1.Member.self, id: "1")
            }
            let opening = #expect(throws: StoreError.self) {
                try SQLiteStore(path: path, entities: [Version1.Member.self])
            }

            #expect(running?.code == .schemaChanged)
            #expect(opening?.code == .newerSchema)
        }
    }
}
#endif
