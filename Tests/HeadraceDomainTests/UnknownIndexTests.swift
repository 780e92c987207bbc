// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceDomain
import HeadraceStorage
import Testing

/// Queries by an index that the type of the entity doesn't declare.
@Suite(.timeLimit(.minutes(1))) struct UnknownIndexTests {
    private typealias Read = @Sendable (EntityContext) async throws -> Void

    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Order.self])
    }

    @Test(
        "each read by an undeclared index is refused, in a context, a snapshot, and a live query",
        arguments: [
            { _ = try await $0.fetch(Order.self, where: [.equals(.customer, "ada")]) },
            { _ = try await $0.fetch(Order.self, where: [.isBelow(.customer, "b")], limit: 0) },
            { _ = try await $0.fetch(Order.self, orderedBy: .ascending(.customer)) },
            { _ = try await $0.page(Order.self, orderedBy: .descending(.customer), limit: 1) },
        ] as [Read]
    )
    private func isRefused(_ read: @escaping Read) async throws {
        let context = EntityContext(store)
        context.insert(Order(1))
        defer { context.rollback() }

        for attempt in [
            { try await read(context) }, { try await store.read { try await read($0) } },
            { try await firstValue(read) },
        ] {
            let error = await #expect(throws: StoreError.self) { try await attempt() }

            #expect(error?.code == .unknownIndex)
            #expect(
                error?.message == """
                    A query uses the index 'customer', but the type 'order' declares no index. Nothing was read. To fix, add \
                    the index to the 'indexes' of the type, or correct its name.
                    """
            )
        }
    }

    @Test func theErrorNamesTheDeclaredIndexes() async throws {
        let context = EntityContext(try InMemoryStore(entities: [Customer.self]))

        let error = await #expect(throws: StoreError.self) {
            _ = try await context.fetch(Customer.self, where: [.equals(.email, "a@b.c"), .equals(.mail, "a@b.c")])
        }

        #expect(
            error?.message == """
                A query uses the index 'mail', but the type 'customer' declares only 'email', 'age', 'tag'. Nothing was read. \
                To fix, add the index to the 'indexes' of the type, or correct its name.
                """
        )
    }

    private func firstValue(_ read: @escaping Read) async throws {
        for try await _ in store.observe({ try await read($0) }) { return }
    }
}

extension EntityIndex<Order> {
    /// The entities don't declare this index.
    fileprivate static var customer: Self { EntityIndex("customer", unique: true) { "\($0.id)" } }
}

extension EntityIndex<Customer> {
    fileprivate static var mail: Self { EntityIndex("mail") { $0.email } }
}
