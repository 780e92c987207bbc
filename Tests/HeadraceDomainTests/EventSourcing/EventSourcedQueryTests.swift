// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceResolution
import HeadraceTesting
import Testing

@testable import HeadraceDomain
@testable import HeadraceStorage

@Suite struct EventSourcedQueryTests {
    private let wallets: WalletFixture

    init() throws {
        wallets = try WalletFixture()
    }

    @Test func aQueryFindsTheFoldedStateAndTheChangesOfTheContext() async throws {
        for (id, owner) in ["a": "Ada", "b": "Bob", "c": "Cleo"] { try await wallets.open(id, owner: owner) }
        try await wallets.add(10, to: "a")
        try await wallets.add(20, to: "b")
        try await wallets.add(30, to: "c")

        try await wallets.work { context in
            let rich = try await context.fetch(
                Wallet.self, where: [.isAtLeast(.balance, 20)], orderedBy: .descending(.balance))
            #expect(rich.map(\.id) == ["c", "b"])

            try rich[0].take(25)
            #expect(try await context.fetch(Wallet.self, where: [.isAtLeast(.balance, 20)]).map(\.id) == ["b"])
            #expect(try await context.fetch(Wallet.self, orderedBy: .ascending(.balance)).map(\.id) == ["c", "a", "b"])
        }

        let context = EntityContext(wallets.store)
        #expect(try await context.fetch(Wallet.self, where: [.equals(.balance, 5)]).map(\.id) == ["c"])
        #expect(try await context.fetch(Wallet.self, where: [.equals(.balance, 30)]).isEmpty)
        let page = try await context.page(Wallet.self, orderedBy: .ascending(.balance), limit: 2)
        #expect(page.entities.map(\.id) == ["c", "a"])
        let next = try await context.page(Wallet.self, orderedBy: .ascending(.balance), after: page.next, limit: 2)
        #expect(next.entities.map(\.id) == ["b"])
    }

    @Test func aFetchThatFindsNothingMakesALaterConflictRetryable() async throws {
        try await wallets.open("a", owner: "Ada")

        let error = await caught(StoreError.self) {
            try await wallets.work { context in
                #expect(try await context.fetch(Wallet.self, where: [.isOneOf(.owner, ["Bob", "Ada"])]).count == 1)
                context.insert(Wallet.open("b", owner: "Bob"))
                let other = EntityContext(wallets.store)
                other.insert(Wallet.open("c", owner: "Bob"))
                try await other.commit(other.takeEvents())
            }
        }

        #expect(error?.code == .uniqueViolation)
        #expect(error?.isRetryable == true)
    }

    @Test func pagesAreCompleteEvenIfAnotherWriterDeletesAnEntityDuringTheRead() async throws {
        for (id, owner) in ["a": "Ada", "b": "Bob", "c": "Cleo"] { try await wallets.open(id, owner: owner) }
        let store = CountingStore(wallets.store)
        store.beforeNextStream { [wallets] in try await wallets.remove("a") }

        var ids: [String] = []
        var cursor: PageCursor?
        repeat {
            let page = try await EntityContext(store).page(Wallet.self, after: cursor, limit: 1)
            ids += page.entities.map(\.id)
            cursor = page.next
        } while cursor != nil

        #expect(ids == ["b", "c"])
        store.beforeNextStream { [wallets] in try await wallets.remove("b") }
        #expect(try await EntityContext(store).fetch(Wallet.self, limit: 1).map(\.id) == ["c"])
    }

    @Test(.timeLimit(.minutes(1))) func aReadBesideAWriterThatReplacesEachSnapshotEnds() async throws {
        try await Wallet.$interval.withValue(1) {
            for (id, owner) in ["a": "Ada", "b": "Bob"] { try await wallets.open(id, owner: owner) }
            let store = CountingStore(wallets.store)
            store.beforeEachStream { [wallets] in try await wallets.add(1, to: "a") }

            #expect(try await EntityContext(store).fetch(Wallet.self, limit: 1).map(\.id) == ["a"])
        }
    }

    @Test func aRollBackDuringTheReadIsReported() async throws {
        for (id, owner) in ["a": "Ada", "b": "Bob"] { try await wallets.open(id, owner: owner) }
        let store = CountingStore(wallets.store)
        let desk = Desk(store)
        try await desk.find("a")
        store.beforeNextStream { await desk.rollback() }

        let error = await caught(StoreError.self) { try await desk.fetchIDs() }

        #expect(error?.code == .rolledBack)
        #expect(error?.entity == EntityReference(kind: "wallet", key: "a"))
        #expect(try await desk.fetchIDs() == ["a", "b"])
    }

    @Test func theStreamsThatAContextKnowsAreNotCopiedByTheNextRead() async throws {
        for id in 1...20 { try await wallets.open("\(id)", owner: "\(id)") }
        let context = EntityContext(wallets.store)
        context.streams = Dictionary(minimumCapacity: 100)
        let address = context.addressOfStreams

        for id in 1...20 {
            _ = try await context.find(Wallet.self, id: "\(id)")
            #expect(context.addressOfStreams == address)
        }

        #expect(context.streams?.count == 20)
    }

    @Test func theIndexEntriesOfSeveralEntitiesAreReadTogether() async throws {
        for id in 1...20 { try await wallets.open("\(id)", owner: "\(id)", deposits: id) }
        let kind = try #require(wallets.store.schema.kinds.first { $0.name == "wallet" })
        let documents = try await wallets.store.fetch(DocumentQuery(kind: "wallet"))
        let store = CountingStore(wallets.store)

        let entries = try await kind.entries(of: documents) { try await store.find(all: $0) }

        #expect(store.read.first == 1)
        for (document, entries) in zip(documents, entries) {
            let alone = try await kind.entries(of: document) { try await wallets.store.find(all: $0) }
            #expect(entries == alone)
            #expect(entries.contains(ChangeSet.IndexEntry(index: "owner", value: .text(document.reference.key))))
        }
        // The snapshots of version 1 are not used, so the events before them are read after them.
        try await Wallet.$version.withValue(2) {
            let later = CountingStore(wallets.store)
            let again = try await kind.entries(of: documents) { try await later.find(all: $0) }
            #expect(again.count == 20)
            #expect(later.read.first == 2)
        }
    }

    @Test func theIndexEntriesOfLongStreamsAreReadInParts() async throws {
        try await Wallet.$interval.withValue(.max) {
            for id in ["a", "b", "c"] {
                try await wallets.work { context in
                    let wallet = Wallet.open(id, owner: id)
                    for _ in 0..<1_300 { wallet.add(1) }
                    context.insert(wallet)
                }
            }
        }
        let kind = try #require(wallets.store.schema.kinds.first { $0.name == "wallet" })
        let documents = try await wallets.store.fetch(DocumentQuery(kind: "wallet"))
        let store = CountingStore(wallets.store)

        let entries = try await kind.entries(of: documents) { try await store.find(all: $0) }

        // The last 301 events of a stream are read with the first 1,000 of the next.
        #expect(store.read == [4, 3 * 1_301])
        #expect(entries.allSatisfy { $0.contains(ChangeSet.IndexEntry(index: "balance", value: .integer(1_300))) })
    }

    @Test func aReadOnASnapshotOfTheStoreSeesOneMoment() async throws {
        try await wallets.open(deposits: 4)

        let balances = try await wallets.store.read { context in
            for _ in 0..<6 { try await wallets.add(1_000) }
            return try await context.fetch(Wallet.self).map(\.balance)
        }

        #expect(balances == [4])
        #expect(try await wallets.balance() == 6_004)
    }

    @Test(.timeLimit(.minutes(1))) func aLiveQueryReturnsTheFoldedStateAfterEachCommit() async throws {
        try await wallets.open(deposits: 1)
        var balances = wallets.store.observe { context in
            try await context.fetch(Wallet.self).map(\.balance)
        }.makeAsyncIterator()

        #expect(try await balances.next() == [1])
        for expected in 2...6 {
            try await wallets.add(1)
            #expect(try await balances.next() == [expected])
        }
    }

    @Test func aLiveQueryReadsAStreamAtOnce() async throws {
        try await wallets.open(deposits: 7)
        let store = CountingStore(wallets.store)
        var balances = store.observe { context in
            try await context.find(Wallet.self, id: "a")?.balance
        }.makeAsyncIterator()

        #expect(try await balances.next() == 7)

        // The entity; and the snapshot after event 6, and events 7 and 8.
        #expect(store.read == [2, 4])
    }

    @Test func aLiveQueryOnASnapshotOfTheStoreReadsAStreamAtOnce() async throws {
        try await wallets.open(deposits: 7)
        let store = CountingStore(wallets.store)

        let (balances, reads) = try await store.logging { _ in
            try await store.read { context in try await context.fetch(Wallet.self).map(\.balance) }
        }

        #expect(balances == [7])
        #expect(reads.log.map(\.subject) == [.entities("wallet"), .entities("wallet.stream")])
    }

    @Test func handlersBeforeTheCommitAddEventsToTheStream() async throws {
        wallets.registrar.register(Bonus.self)
        try await wallets.open()

        try await wallets.add(100)

        #expect(try await wallets.balance() == 101)
        let history = try await EntityContext(wallets.store).history(of: Wallet.self, id: "a", after: 1, limit: 10)
        #expect(history.compactMap { ($0.event as? MoneyAdded)?.cents } == [100, 1])
    }
}

/// A context that several tasks use.
private actor Desk {
    private let context: EntityContext

    init(_ store: any EntityStore) {
        context = EntityContext(store)
    }

    func find(_ id: String) async throws {
        _ = try await context.find(Wallet.self, id: id)
    }

    func fetchIDs() async throws -> [String] {
        try await context.fetch(Wallet.self).map(\.id)
    }

    func rollback() {
        context.rollback()
    }
}

/// Adds a cent after each deposit of 100 cents.
private struct Bonus: DomainEventHandler {
    static func handle(event: MoneyAdded, resolver: any DependencyResolver) async throws {
        guard event.cents == 100 else { return }
        try await resolver.resolve(EntityContext.self).find(Wallet.self, id: "a")?.add(1)
    }
}
