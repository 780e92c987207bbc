// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

/// A live query whose closure reads through other contexts, as the handlers of queries do.
@Suite(.timeLimit(.minutes(1))) struct LiveQueryOfHandlersTests {
    private let store: InMemoryStore

    init() throws {
        store = try InMemoryStore(entities: [Customer.self, Order.self])
    }

    private func insert(_ ids: String..., into other: InMemoryStore? = nil) async throws {
        let context = EntityContext(other ?? store)
        for id in ids { context.insert(Customer(id, age: 1)) }
        try await context.commit([])
    }

    enum Way: CaseIterable {
        case context, snapshot, decorator, snapshotOfDecorator, task
    }

    private static func count(_ way: Way, in store: InMemoryStore) async throws -> Int {
        switch way {
        case .context: try await EntityContext(store).count(Customer.self)
        case .snapshot: try await store.read { try await $0.count(Customer.self) }
        case .decorator: try await EntityContext(Plain(store)).fetch(Customer.self).count
        case .snapshotOfDecorator: try await Plain(store).read { try await $0.fetch(Customer.self).count }
        case .task: try await Task { try await EntityContext(store).count(Customer.self) }.value
        }
    }

    @Test(arguments: Way.allCases)
    func aCommitThatChangesWhatAnotherContextHasReadYieldsAValue(way: Way) async throws {
        let store = store
        var counts = store.observe { _ in try await Self.count(way, in: store) }.makeAsyncIterator()
        #expect(try await counts.next() == 0)

        try await insert("a", "b")

        #expect(try await counts.next() == 2)
    }

    @Test func readsOfAnotherStoreDoNotBelongToTheQuery() async throws {
        let other = try InMemoryStore(entities: [Customer.self])

        let (_, reads) = try await store.logging { _ in try await EntityContext(other).count(Customer.self) }

        #expect(reads.subjects.isEmpty)
    }

    @Test func readsAfterTheQueryDoNotBelongToIt() async throws {
        let (context, reads) = try await store.logging { _ in EntityContext(store) }

        _ = try await context.count(Customer.self)

        #expect(reads.subjects.isEmpty)
    }

    @Test func aChangeOfACommandThatTheQueryCausesIsStored() async throws {
        let store = store
        _ = try await store.logging { _ in
            let context = EntityContext(store)
            context.insert(Customer("a", age: 1))
            try await context.commit([])
        }

        #expect(try await EntityContext(store).count(Customer.self) == 1)
    }

    @Test(arguments: [true, false])
    func aWaitForAnyCommitEndsWithEachCommit(isBefore: Bool) async throws {
        let position = store.commitFeed.position
        if isBefore { try await insert("a") }
        async let waiting: Void = store.commitFeed.waitForCommit(after: position)
        if !isBefore { try await insert("a") }

        try await waiting
        await #expect(throws: CancellationError.self) {
            let feed = store.commitFeed
            let task = Task { try await feed.waitForCommit(after: feed.position) }
            task.cancel()
            try await task.value
        }
    }
}

private final class Plain: StoreDecorator {
    let base: any DeliveryStore

    init(_ base: any DeliveryStore) {
        self.base = base
    }
}
