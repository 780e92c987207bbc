// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct CountTests {
    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Customer.self, Order.self, Wallet.self])
    }

    private func insert(_ customers: Customer...) async throws {
        let context = EntityContext(store)
        customers.forEach { context.insert($0) }
        try await context.commit([])
    }

    @Test func aCountIncludesInsertedDeletedAndChangedEntities() async throws {
        try await insert(Customer("a", age: 1), Customer("b", age: 1), Customer("c", age: 1), Customer("d", age: 2))
        let context = EntityContext(store)
        let known = try await context.fetch(Customer.self, where: [.equals(.age, 1)])
        #expect(try await context.count(Customer.self, where: [.equals(.age, 1)]) == 3)

        context.insert(Customer("e", age: 1))
        context.delete(known[0])
        known[1].age = 7
        try #require(try await context.find(Customer.self, id: "d")).age = 1

        #expect(try await context.count(Customer.self, where: [.equals(.age, 1)]) == 3)
        #expect(try await context.count(Customer.self, where: [.isAtLeast(.age, 7)]) == 1)
        #expect(try await context.count(Customer.self) == 4)
        #expect(try await context.fetch(Customer.self, where: [.equals(.age, 1)]).map(\.id) == ["c", "d", "e"])
        try await context.commit([])
        #expect(try await EntityContext(store).count(Customer.self, where: [.equals(.age, 1)]) == 3)
    }

    @Test func anEntityThatReplacesADeletedEntityCountsOnce() async throws {
        try await insert(Customer("a", age: 1))
        let context = EntityContext(store)
        context.delete(try #require(try await context.find(Customer.self, id: "a")))
        #expect(try await context.count(Customer.self) == 0)

        context.insert(Customer("a", age: 2))

        #expect(try await context.count(Customer.self) == 1)
        #expect(try await context.count(Customer.self, where: [.equals(.age, 1)]) == 0)
        #expect(try await context.count(Customer.self, where: [.equals(.age, 2)]) == 1)
    }

    @Test func aCountReadsNoDocument() async throws {
        try await insert(Customer("a", age: 1), Customer("b", age: 1))
        let store = WithoutFetches(store)

        #expect(try await EntityContext(store).count(Customer.self, where: [.equals(.age, 1)]) == 2)
    }

    @Test func eventSourcedEntitiesAreCountedByTheirState() async throws {
        let registrar = RecordingDelegator()
        try await UnitOfWork(on: store, delegator: registrar).execute { context in
            context.insert(Wallet.open("a", owner: "Ada"))
            context.insert(Wallet.open("b", owner: "Bob"))
        }

        try await UnitOfWork(on: store, delegator: registrar).execute { context in
            context.delete(try #require(try await context.find(Wallet.self, id: "a")))
            #expect(try await context.count(Wallet.self) == 1)
        }

        #expect(try await EntityContext(store).count(Wallet.self) == 1)
    }

    @Test func anEntityThatAnotherWriterInsertsAfterTheCountMakesTheErrorRetryable() async throws {
        let context = EntityContext(store)
        #expect(try await context.count(Customer.self, where: [.equals(.email, "a@b.c")]) == 0)
        context.insert(Customer("a", email: "a@b.c"))
        try await insert(Customer("b", email: "a@b.c"))

        let error = await #expect(throws: StoreError.self) { try await context.commit([]) }

        #expect(error?.isRetryable == true)
    }

    @Test func aLiveQueryYieldsACountWhenItChanges() async throws {
        try await insert(Customer("a", age: 1))
        var counts = store.observe { try await $0.count(Customer.self, where: [.equals(.age, 1)]) }.makeAsyncIterator()
        #expect(try await counts.next() == 1)

        try await insert(Customer("b", age: 2))
        try await insert(Customer("c", age: 1))

        #expect(try await counts.next() == 2)
    }
}

/// A store that counts, and refuses to return documents.
private final class WithoutFetches: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func count(_ query: DocumentQuery) async throws -> Int { try await base.count(query) }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        throw StoreError(code: .unusable, message: "A count has read documents.")
    }
}
