// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

/// One context, used by two tasks of one actor.
@Suite(.timeLimit(.minutes(1))) struct SharedContextTests {
    private let store: InMemoryStore

    init() async throws {
        store = try InMemoryStore(entities: [Customer.self])
        let context = EntityContext(store)
        context.insert(Customer("a", age: 1))
        context.insert(Customer("b", age: 2))
        try await context.commit([])
    }

    @Test(arguments: Office.Way.allCases, Office.Way.allCases)
    func twoReadsAtOnceReturnOneObjectAndLoseNoChange(one: Office.Way, other: Office.Way) async throws {
        let held = HeldReads(store)
        let office = Office(held)
        let first = Task { try await office.read("a", one) { $0.age = 42 } }
        let second = Task { try await office.read("a", other) { $0.tags = ["x"] } }
        await held.gate.arrivals(2)

        held.gate.open()

        #expect(try await first.value == second.value)
        try await office.commit()
        let customer = try #require(try await EntityContext(store).find(Customer.self, id: "a"))
        #expect(customer.age == 42)
        #expect(customer.tags == ["x"])
    }

    @Test func twoConcurrentInsertsOfOneEntityReturnTheSameObject() async throws {
        let held = HeldReads(store)
        let office = Office(held)
        let first = Task { try await office.findOrInsert("new") }
        let second = Task { try await office.findOrInsert("new") }
        await held.gate.arrivals(2)

        held.gate.open()

        #expect(try await first.value == second.value)
        try await office.commit()
        #expect(try await store.find(EntityReference(kind: "customer", key: "new")) != nil)
    }

    @Test func aLimitedFetchIsFullEvenIfAnotherTaskDeletesEntities() async throws {
        let held = HeldReads(store, holding: [.fetch])
        let office = Office(held)
        let fetched = Task { try await office.fetchIDs(limit: 1) }
        await held.gate.arrivals(1)
        try await office.delete("a")

        held.gate.open()

        #expect(try await fetched.value == ["b"])
    }
}

/// An actor whose tasks use one context.
actor Office {
    enum Way: CaseIterable, Sendable {
        case find, findSeveral, fetch, page
    }

    private let context: EntityContext

    init(_ store: any EntityStore) {
        context = EntityContext(store)
    }

    /// Reads the customer `id`, and changes it.
    func read(_ id: String, _ way: Way, _ change: @Sendable (Customer) -> Void) async throws -> ObjectIdentifier {
        let customers =
            switch way {
            case .find: [try await context.find(Customer.self, id: id)].compactMap(\.self)
            case .findSeveral: try await context.find(Customer.self, ids: [id])
            case .fetch: try await context.fetch(Customer.self, limit: 1)
            case .page: try await context.page(Customer.self, limit: 1).entities
            }
        let customer = try #require(customers.first)
        change(customer)
        return ObjectIdentifier(customer)
    }

    func findOrInsert(_ id: String) async throws -> ObjectIdentifier {
        let customer = try await context.find(Customer.self, id: id) ?? Customer(id)
        context.insert(customer)
        return ObjectIdentifier(customer)
    }

    func fetchIDs(limit: Int) async throws -> [String] {
        try await context.fetch(Customer.self, limit: limit).map(\.id)
    }

    func delete(_ id: String) async throws {
        if let customer = try await context.find(Customer.self, id: id) { context.delete(customer) }
    }

    func commit() async throws {
        try await context.commit([])
    }
}
