// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite struct PagingTests {
    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Customer.self, Order.self])
    }

    private func fill() async throws {
        let context = EntityContext(store)
        for number in 0..<20 {
            let tags = (0...number % 3).map { "t\((number * 7 + $0 * 5) % 11)" }
            context.insert(Customer("c\(number)", age: number % 5 == 4 ? nil : number % 4, tags: tags))
        }
        try await context.commit([])
    }

    private static let orders: [EntityOrder<Customer>?] =
        [nil, .ascending(.age), .descending(.age), .ascending(.tag), .descending(.tag)]

    @Test(arguments: 0..<orders.count, [1, 3, 7, 20, 21])
    func allPagesTogetherEqualAFetch(order: Int, limit: Int) async throws {
        try await fill()
        let order = Self.orders[order]
        let all = try await EntityContext(store).fetch(Customer.self, orderedBy: order).map(\.id)

        var ids: [String] = []
        var cursor: PageCursor?
        var pages = 0
        repeat {
            // A client would do the same: the cursor is sent as text, and used in another context.
            let sent = cursor.flatMap { PageCursor($0.description) }
            #expect(sent == cursor)
            let page = try await EntityContext(store).page(Customer.self, orderedBy: order, after: sent, limit: limit)
            #expect(page.entities.count == min(limit, all.count - ids.count))
            ids += page.entities.map(\.id)
            cursor = page.next
            pages += 1
        } while cursor != nil

        #expect(ids == all)
        #expect(pages == (all.count + limit - 1) / limit)
    }

    @Test func aPageIncludesChangesOfTheUnitOfWork() async throws {
        try await fill()
        let context = EntityContext(store)
        let first = try await context.page(Customer.self, limit: 3)
        #expect(first.entities.map(\.id) == ["c0", "c1", "c10"])
        context.delete(try #require(try await context.find(Customer.self, id: "c11")))
        context.insert(Customer("c12a"))

        let second = try await context.page(Customer.self, after: first.next, limit: 3)

        #expect(second.entities.map(\.id) == ["c12", "c12a", "c13"])
    }

    @Test func insertionsAndDeletionsBetweenPagesNeitherRepeatNorSkip() async throws {
        try await fill()
        let first = try await EntityContext(store).page(Customer.self, limit: 3)
        let context = EntityContext(store)
        context.insert(Customer("c00"))
        context.delete(try #require(try await context.find(Customer.self, id: "c10")))
        try await context.commit([])

        let second = try await EntityContext(store).page(Customer.self, after: first.next, limit: 3)

        #expect(second.entities.map(\.id) == ["c11", "c12", "c13"])
    }

    @Test func theCursorOfAnotherQueryIsRefused() async throws {
        try await fill()
        let context = EntityContext(store)
        let cursor = try #require(try await context.page(Customer.self, orderedBy: .ascending(.age), limit: 1).next)

        for order in [nil, EntityOrder.descending(.age), .ascending(.tag)] {
            let error = await #expect(throws: StoreError.self) {
                _ = try await context.page(Customer.self, orderedBy: order, after: cursor, limit: 1)
            }
            #expect(error?.code == .foreignCursor)
        }
        let error = await #expect(throws: StoreError.self) {
            _ = try await context.page(Order.self, after: cursor, limit: 1)
        }
        #expect(error?.code == .foreignCursor)
    }

    @Test(arguments: ["", "=", "e30", "äöü", "eyJrIjoxfQ", String(repeating: "A", count: 10_000)])
    func invalidCursorTextIsRefused(text: String) {
        #expect(PageCursor(text) == nil)
    }

    @Test func aPageHasAtLeastOneEntity() async throws {
        try await fill()
        let page = try await EntityContext(store).page(Customer.self, limit: -5)

        #expect(page.entities.map(\.id) == ["c0"])
        #expect(page.next != nil)
    }

    @Test func aReadSeesASnapshotAndStoresNothing() async throws {
        try await fill()
        let error = await #expect(throws: StoreError.self) {
            try await store.read { context in
                let before = try await context.fetch(Customer.self).count
                let other = EntityContext(store)
                other.insert(Customer("late"))
                try await other.commit([])
                #expect(try await context.find(Customer.self, id: "late") == nil)
                #expect(try await context.fetch(Customer.self).count == before)

                context.insert(Customer("mine"))
                try await UnitOfWork(delegator: RecordingDelegator(), context: context).execute { _ in }
            }
        }

        #expect(error?.code == .readOnly)
        #expect(error?.entity == EntityReference(kind: "customer", key: "mine"))
        #expect(try await EntityContext(store).find(Customer.self, id: "mine") == nil)
        #expect(try await EntityContext(store).find(Customer.self, id: "late") != nil)
    }
}
