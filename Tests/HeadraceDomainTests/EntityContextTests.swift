// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceTesting
import Testing

@testable import HeadraceDomain
@testable import HeadraceRelay
@testable import HeadraceStorage

@Suite struct EntityContextTests {
    private let store: SpyStore
    private let context: EntityContext

    init() throws {
        store = try SpyStore()
        context = EntityContext(store)
    }

    // MARK: Identity

    @Test func aFindOfSeveralEntitiesReturnsEachOnceWithChangesOfTheContext() async throws {
        let store = try SpyStore()
        try await store.store(Customer("a"), Customer("b"), Customer("c"), Customer("d"))
        let context = EntityContext(store)
        let known = try #require(try await context.find(Customer.self, id: "b"))
        let deleted = try #require(try await context.find(Customer.self, id: "d"))
        context.delete(deleted)
        let inserted = Customer("new")
        context.insert(inserted)

        let found = try await context.find(Customer.self, ids: ["c", "b", "nobody", "c", "d", "new", "a"])

        #expect(found.map(\.id) == ["c", "b", "new", "a"])
        #expect(found[1] === known)
        #expect(found[2] === inserted)
        #expect(try await context.find(Customer.self, id: "a") === found[3])
        #expect(try await context.find(Customer.self, ids: []).isEmpty)
    }

    @Test func ofSeveralFoundEntitiesOnlyTheChangedAreStored() async throws {
        let store = try SpyStore()
        try await store.store(Customer("a"), Customer("b"))
        let context = EntityContext(store)

        for customer in try await context.find(Customer.self, ids: ["a", "b"]) where customer.id == "b" {
            customer.email = "b@example.org"
        }
        try await context.commit([])

        #expect(try await store.version(of: "a") == 1)
        #expect(try await store.version(of: "b") == 2)
    }

    @Test func eachEntityIsOneObject() async throws {
        try await store.store(Customer("a"), Customer("b"))

        let found = try await context.find(Customer.self, id: "a")
        let again = try await context.find(Customer.self, id: "a")
        let fetched = try await context.fetch(Customer.self)
        let late = try await context.find(Customer.self, id: "b")

        #expect(found != nil)
        #expect(found === again)
        #expect(found === fetched.first)
        #expect(late === fetched.last)
    }

    @Test func anInsertedEntityIsFoundAndADeletedEntityIsNot() async throws {
        try await store.store(Customer("stored"))
        let inserted = Customer("inserted")

        context.insert(inserted)
        context.insert(inserted)
        let stored = try #require(try await context.find(Customer.self, id: "stored"))
        context.delete(stored)

        #expect(try await context.find(Customer.self, id: "inserted") === inserted)
        #expect(try await context.find(Customer.self, id: "stored") == nil)
        #expect(try await context.find(Customer.self, id: "missing") == nil)
        #expect(try await context.fetch(Customer.self).map(\.id) == ["inserted"])
    }

    @Test func equalIdentifiersInDifferentBytesAreOneEntity() async throws {
        try await store.store(Customer("\u{E9}"))

        let customer = try #require(try await context.find(Customer.self, id: "e\u{301}"))
        customer.age = 1
        try await context.commit([])

        #expect(try await store.version(of: "\u{E9}") == 2)
        context.insert(Customer("e\u{301}"))
        await #expect(throws: StoreError.self) { try await context.commit([]) }
    }

    // MARK: Fetching what is not committed

    @Test func aFetchIncludesUncommittedChanges() async throws {
        try await store.store(
            Customer("grows", age: 1),
            Customer("leaves", age: 20),
            Customer("goes", age: 21),
            Customer("stays", age: 22)
        )
        try await context.find(Customer.self, id: "grows")?.age = 30
        try await context.find(Customer.self, id: "leaves")?.age = 2
        context.delete(try #require(try await context.find(Customer.self, id: "goes")))
        context.insert(Customer("comes", age: 25))
        context.insert(Customer("ageless"))

        let adults: [EntityCondition<Customer>] = [.isAtLeast(.age, 18)]
        let byKey = try await context.fetch(Customer.self, where: adults)
        let youngest = try await context.fetch(Customer.self, where: adults, orderedBy: .ascending(.age))
        let oldest = try await context.fetch(Customer.self, where: adults, orderedBy: .descending(.age), limit: 2)

        #expect(byKey.map(\.id) == ["comes", "grows", "stays"])
        #expect(youngest.map(\.id) == ["stays", "comes", "grows"])
        #expect(oldest.map(\.id) == ["grows", "comes"])
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, Int.max])
    func aLimitAppliesAfterUncommittedChanges(limit: Int) async throws {
        for age in 1...5 { try await store.store(Customer("stored \(age)", age: age * 10)) }
        try await context.find(Customer.self, id: "stored 1")?.age = 100
        context.delete(try #require(try await context.find(Customer.self, id: "stored 2")))
        context.insert(Customer("inserted", age: 35))

        let customers = try await context.fetch(Customer.self, orderedBy: .ascending(.age), limit: limit)

        let expected = ["stored 3", "inserted", "stored 4", "stored 5", "stored 1"]
        #expect(customers.map(\.id) == Array(expected.prefix(limit)))
    }

    @Test func conditionsMatchStoredAndNewEntitiesAlike() async throws {
        let conditions: [EntityCondition<Customer>] = [
            .equals(.tag, "x"), .isOneOf(.tag, ["x", "q"]), .isAtLeast(.age, 2), .isBelow(.age, 2),
            .isIn(.age, 2..<3), .equals(.email, "b@example.org"),
        ]
        func customers() -> [Customer] {
            [
                Customer("a", email: "a@example.org", age: 1, tags: ["x", "y"]),
                Customer("b", email: "b@example.org", age: 2, tags: ["q"]),
                Customer("c", age: 3, tags: ["z"]),
                Customer("d"),
            ]
        }
        let fresh = EntityContext(try InMemoryStore(entities: [Customer.self]))
        for customer in customers() {
            try await store.store(customer)
            fresh.insert(customer)
        }

        for condition in conditions {
            for order in [nil, .ascending(.age), .descending(.tag)] as [EntityOrder<Customer>?] {
                let stored = try await EntityContext(store).fetch(Customer.self, where: [condition], orderedBy: order)
                let inserted = try await fresh.fetch(Customer.self, where: [condition], orderedBy: order)
                #expect(stored.map(\.id) == inserted.map(\.id))
                #expect(!stored.isEmpty)
            }
        }
    }

    @Test func entitiesBeyondALimitAreNotTracked() async throws {
        try await store.store(Customer("a"), Customer("b"))

        _ = try await context.fetch(Customer.self, limit: 1)

        #expect(context.tracked.all.count == 1)
    }

    // MARK: Writing

    @Test func theSameStateInAnotherJSONFormIsNotWritten() async throws {
        let json = Data(#"{ "tags" : [], "unknown" : 1, "age" : 7.0, "id" : "a" }"#.utf8)
        let reference = EntityReference(kind: "customer", key: "a")
        let document = StoredDocument(reference: reference, version: 1, schemaVersion: 1, json: json)
        let age = ChangeSet.IndexEntry(index: "age", value: .integer(7))
        try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: document, addedEntries: [age])]))

        _ = try await context.find(Customer.self, id: "a")
        try await context.commit([])
        #expect(try await store.version(of: "a") == 1)

        try await context.find(Customer.self, id: "a")?.age = 8
        try await context.commit([])
        #expect(try await store.version(of: "a") == 2)
    }

    @Test func aWriteContainsOnlyChangedIndexEntries() async throws {
        try await store.store(Customer("a", email: "a@example.org", age: 1, tags: ["x", "y"]))

        let customer = try #require(try await context.find(Customer.self, id: "a"))
        customer.age = 2
        customer.tags = ["y", "z", "z"]
        try await context.commit([])

        let write = try #require(store.commits.last?.writes.first)
        #expect(
            write.removedEntries == [
                ChangeSet.IndexEntry(index: "age", value: .integer(1)),
                ChangeSet.IndexEntry(index: "tag", value: .text("x")),
            ]
        )
        #expect(
            write.addedEntries == [
                ChangeSet.IndexEntry(index: "age", value: .integer(2)),
                ChangeSet.IndexEntry(index: "tag", value: .text("z")),
            ]
        )
    }

    @Test func anEntityThatIsReinsertedUnchangedIsNotWritten() async throws {
        try await store.store(Customer("a", age: 1))

        context.delete(try #require(try await context.find(Customer.self, id: "a")))
        context.insert(Customer("a", age: 1))
        try await context.commit([])

        #expect(store.commits.isEmpty)
        #expect(try await store.version(of: "a") == 1)
    }

    @Test func anEntityThatIsReinsertedAndDeletedAgainIsDeleted() async throws {
        try await store.store(Customer("a", age: 1))
        let again = Customer("a", age: 2)

        context.delete(try #require(try await context.find(Customer.self, id: "a")))
        context.insert(again)
        context.delete(again)
        try await context.commit([])

        #expect(try await store.version(of: "a") == nil)
        #expect(try await EntityContext(store).fetch(Customer.self, orderedBy: .ascending(.age)).isEmpty)
    }

    // MARK: Mistakes

    @Test func anIdentifierThatChangesIsReported() async throws {
        let store = try SpyStore(entities: [Renamable.self])
        let context = EntityContext(store)
        context.insert(Renamable(id: "old"))
        try await context.commit([])

        try await context.find(Renamable.self, id: "old")?.id = "new"
        let error = await #expect(throws: StoreError.self) { try await context.commit([]) }

        #expect(error?.code == .identifierChanged)
        #expect(error?.entity == EntityReference(kind: "renamable", key: "old"))
        #expect(error?.message.hasPrefix("The identifier of the renamable 'old' has become 'new'.") == true)
    }

    @Test func deletingAnUntrackedEntityIsReported() async throws {
        try await store.store(Customer("a"))

        context.delete(Customer("a"))
        let error = await #expect(throws: StoreError.self) { try await context.commit([]) }

        #expect(error?.code == .unknownEntity)
        #expect(error?.entity == EntityReference(kind: "customer", key: "a"))
        #expect(try await store.version(of: "a") == 1)
    }

    @Test func insertingAnExistingEntityIsReported() async throws {
        try await store.store(Customer("a"))

        context.insert(Customer("a"))
        let blind = await #expect(throws: StoreError.self) { try await context.commit([]) }
        context.rollback()
        _ = try await context.find(Customer.self, id: "a")
        context.insert(Customer("a"))
        let seen = await #expect(throws: StoreError.self) { try await context.commit([]) }

        #expect(blind?.code == .alreadyExists)
        #expect(seen?.code == .alreadyExists)
        #expect(blind?.message == seen?.message)
        #expect(blind?.isRetryable == false)
        #expect(seen?.isRetryable == false)
    }

    @Test func aConcurrentInsertAfterALookupIsRetryable() async throws {
        let looks: [(EntityContext) async throws -> Void] = [
            { _ = try await $0.find(Customer.self, id: "a") },
            { _ = try await $0.find(Customer.self, ids: ["a", "b"]) },
        ]
        for look in looks {
            let store = try SpyStore()
            let context = EntityContext(store)
            try await look(context)
            try await store.store(Customer("a"))

            context.insert(Customer("a"))
            let error = await #expect(throws: StoreError.self) { try await context.commit([]) }

            #expect(error?.code == .alreadyExists)
            #expect(error?.isRetryable == true)
            #expect(
                error?.message == """
                    The customer 'a' did not exist when this unit of work looked for it, and another writer has \
                    inserted it since. Nothing was stored. To fix, repeat the work: it then finds the entity.
                    """
            )

            context.rollback()
            context.insert(Customer("a"))
            let blind = await #expect(throws: StoreError.self) { try await context.commit([]) }
            #expect(blind?.isRetryable == false)
        }
    }

    @Test func aConcurrentUniqueValueAfterALookupIsRetryable() async throws {
        let email = "x@example.org"
        let one = [EntityCondition<Customer>.equals(.email, email)]
        let several = [EntityCondition<Customer>.isOneOf(.email, [email, "k"])]
        let looks: [(isRetryable: Bool, (EntityContext) async throws -> Void)] = [
            (true, { _ = try await $0.fetch(Customer.self, where: one) }),
            (true, { _ = try await $0.fetch(Customer.self, where: one, limit: 1) }),
            (true, { _ = try await $0.page(Customer.self, where: several, limit: 3) }),
            (true, { _ = try await $0.fetch(Customer.self, where: one, orderedBy: .ascending(.email)) }),
            // Each of these may leave out an entity that has the value.
            (false, { _ = try await $0.fetch(Customer.self, where: [.equals(.email, "y@example.org")]) }),
            (false, { _ = try await $0.fetch(Customer.self, where: one + [.equals(.tag, "x")]) }),
            (false, { _ = try await $0.fetch(Customer.self, where: one, orderedBy: .ascending(.age)) }),
            (false, { _ = try await $0.fetch(Customer.self, where: several, limit: 1) }),
            (false, { _ = try await $0.find(Customer.self, id: "b") }),
        ]
        for (number, (isRetryable, look)) in looks.enumerated() {
            let store = try SpyStore()
            try await store.store(Customer("known", email: "k", age: 1))
            let context = EntityContext(store)
            try await look(context)
            try await store.store(Customer("a", email: email))

            context.insert(Customer("b", email: email))
            let error = await #expect(throws: StoreError.self) { try await context.commit([]) }

            #expect(error?.code == .uniqueViolation)
            #expect(error?.isRetryable == isRetryable, "look \(number)")
            #expect(error?.indexEntry == ChangeSet.IndexEntry(index: "email", value: .text(email)))
        }
    }

    @Test func aDuplicateUniqueValueInOneUnitOfWorkIsNotRetryable() async throws {
        _ = try await context.fetch(Customer.self, where: [.equals(.email, "x@example.org")])

        context.insert(Customer("a", email: "x@example.org"))
        context.insert(Customer("b", email: "x@example.org"))
        let error = await #expect(throws: StoreError.self) { try await context.commit([]) }

        #expect(error?.code == .uniqueViolation)
        #expect(error?.isRetryable == false)
    }

    @Test func aRollbackForgetsMistakes() async throws {
        context.delete(Customer("a"))
        context.rollback()

        try await context.commit([])
    }

    @Test func anUndeclaredTypeIsReported() async throws {
        let remedy = """
            The store was not opened with entities of 'renamable'. To fix, add \
            'HeadraceDomainTests.Renamable.self' to the 'entities:' of the store.
            """

        let finding = await #expect(throws: StoreError.self) { _ = try await context.find(Renamable.self, id: "a") }
        let fetching = await #expect(throws: StoreError.self) { _ = try await context.fetch(Renamable.self) }
        context.insert(Renamable(id: "a"))
        let inserting = await #expect(throws: StoreError.self) { try await context.commit([]) }

        for error in [finding, fetching, inserting] {
            #expect(error?.description.contains("To fix, add 'HeadraceDomainTests.") == true)
            #expect(error?.code == .undeclaredEntity)
        }
        #expect(inserting?.description == remedy)
    }

    @Test func anUndecodableDocumentIsReported() async throws {
        let reference = EntityReference(kind: "customer", key: "a")
        let document = StoredDocument(reference: reference, version: 1, schemaVersion: 1, json: Data(#"{"id":1}"#.utf8))
        try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: document)]))

        let finding = await #expect(throws: StoreError.self) { _ = try await context.find(Customer.self, id: "a") }
        let fetching = await #expect(throws: StoreError.self) { _ = try await context.fetch(Customer.self) }

        for error in [finding, fetching] {
            #expect(error?.code == .undecodable)
            #expect(error?.entity == reference)
            #expect(error?.cause is DecodingError)
            #expect(error?.message.hasPrefix("The customer 'a', stored at version 1, does not decode as") == true)
        }
    }

    @Test func aDocumentWithALaterSchemaVersionIsReported() async throws {
        let reference = EntityReference(kind: "customer", key: "a")
        let json = Data(#"{"id":"a","tags":[]}"#.utf8)
        let document = StoredDocument(reference: reference, version: 1, schemaVersion: 2, json: json)
        try await store.commit(ChangeSet(writes: [ChangeSet.Write(document: document)]))

        let error = await #expect(throws: StoreError.self) { _ = try await context.find(Customer.self, id: "a") }

        #expect(error?.code == .newerSchema)
        #expect(
            error?.message == """
                The customer 'a' was stored with schema version 2; this program knows 1. To fix, run the version of \
                the program that wrote it, or a later one.
                """
        )
    }
}

final class Renamable: StoredEntity {
    static let entityName = "renamable"

    var id: String
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }
}
