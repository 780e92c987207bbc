// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

/// The work of a context that reads entities, and the result if it commits after all.
@Suite(.serialized) struct QueryWorkTests {
    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Shelf.self])
    }

    @Test func aQueryNeitherEncodesNorIndexesEntities() async throws {
        try await insert("a")
        Shelf.work.withLock { $0 = Shelf.Work() }
        let contexts = (0..<3).map { _ in EntityContext(store) }

        #expect(try await contexts[0].find(Shelf.self, id: "a") != nil)
        #expect(try await contexts[1].find(Shelf.self, ids: ["a", "b"]).count == 1)
        #expect(try await contexts[2].fetch(Shelf.self).count == 1)
        #expect(try await store.read { try await $0.fetch(Shelf.self).count } == 1)

        #expect(Shelf.work.withLock(\.self) == Shelf.Work())
        // A context compares some entities when it is released, to report lost changes.
        withExtendedLifetime(contexts) {}
    }

    @Test func aUnitOfWorkEncodesEachEntityAtMostTwice() async throws {
        try await insert("a")
        Shelf.work.withLock { $0 = Shelf.Work() }

        try await execute { try await $0.find(Shelf.self, id: "a")?.label = "new" }

        let work = Shelf.work.withLock(\.self)
        #expect(work.encodingCount <= 2)
        #expect(work.indexingCount == 2)
    }

    @Test func aContextWithoutAUnitOfWorkMovesTheIndexEntriesOfAChangedEntity() async throws {
        try await insert("a")
        let context = EntityContext(store)
        try await context.find(Shelf.self, id: "a")?.label = "new"
        try await context.commit(context.takeEvents())

        #expect(try await keys(label: "label of a") == [])
        #expect(try await keys(label: "new") == ["a"])
    }

    @Test func aContextWithoutAUnitOfWorkRemovesTheIndexEntriesOfADeletedEntity() async throws {
        try await insert("a")
        let context = EntityContext(store)
        let shelf = try #require(try await context.find(Shelf.self, id: "a"))
        shelf.label = "new"
        context.delete(shelf)
        try await context.commit(context.takeEvents())

        #expect(try await keys(label: "label of a") == [])
        #expect(try await keys(label: "new") == [])
        // The value is free again.
        try await insert("b", label: "label of a")
    }

    @Test func aContextWithoutAUnitOfWorkReplacesAnEntity() async throws {
        try await insert("a")
        let context = EntityContext(store)
        let shelf = try #require(try await context.find(Shelf.self, id: "a"))
        context.delete(shelf)
        context.insert(Shelf("a", label: "new"))
        try await context.commit(context.takeEvents())

        #expect(try await keys(label: "label of a") == [])
        #expect(try await keys(label: "new") == ["a"])
    }

    @Test func aCountWithoutAUnitOfWorkIncludesChangedEntities() async throws {
        try await insert("a")
        let context = EntityContext(store)
        try await context.find(Shelf.self, id: "a")?.label = "new"

        #expect(try await context.count(Shelf.self, where: [.equals(.label, "label of a")]) == 0)
        #expect(try await context.count(Shelf.self, where: [.equals(.label, "new")]) == 1)
        context.rollback()
    }

    // MARK: Support

    private func execute(_ body: (EntityContext) async throws -> Void) async throws {
        try await UnitOfWork(on: store, delegator: RecordingDelegator()).execute(body)
    }

    private func insert(_ id: String, label: String? = nil) async throws {
        try await execute { $0.insert(Shelf(id, label: label ?? "label of \(id)")) }
    }

    private func keys(label: String) async throws -> [String] {
        let condition = DocumentQuery.Condition(index: "label", test: .oneOf([.text(label)]))
        return try await store.fetch(DocumentQuery(kind: "shelf", conditions: [condition])).map(\.reference.key)
    }
}

/// An entity that counts how often it is encoded and indexed.
private final class Shelf: StoredEntity {
    /// Numbers of operations.
    struct Work: Equatable {
        var encodingCount = 0
        var indexingCount = 0
    }

    static let entityName = "shelf"
    static var indexes: [EntityIndex<Shelf>] { [.label] }
    static let work = Mutex(Work())

    let id: String
    var label: String
    var raisedEvents = RaisedEvents()

    private enum CodingKeys: CodingKey {
        case id, label
    }

    init(_ id: String, label: String) {
        self.id = id
        self.label = label
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        label = try container.decode(String.self, forKey: .label)
    }

    func encode(to encoder: any Encoder) throws {
        Self.work.withLock { $0.encodingCount += 1 }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(label, forKey: .label)
    }
}

extension EntityIndex where Entity == Shelf {
    fileprivate static var label: EntityIndex {
        EntityIndex("label", unique: true) { shelf in
            Shelf.work.withLock { $0.indexingCount += 1 }
            return shelf.label
        }
    }
}
