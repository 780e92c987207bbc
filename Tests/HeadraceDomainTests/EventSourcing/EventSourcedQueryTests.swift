//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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

    @Test func handlersBeforeTheCommitAddEventsToTheStream() async throws {
        wallets.registrar.register(Bonus.self)
        try await wallets.open()

        try await wallets.add(100)

        #expect(try await wallets.balance() == 101)
        let history = try await EntityContext(wallets.store).history(of: Wallet.self, id: "a", after: 1, limit: 10)
        #expect(history.compactMap { ($0.event as? MoneyAdded)?.cents } == [100, 1])
    }
}

/// Adds a cent after each deposit of 100 cents.
private struct Bonus: DomainEventHandler {
    static func handle(event: MoneyAdded, resolver: any DependencyResolver) async throws {
        guard event.cents == 100 else { return }
        try await resolver.resolve(EntityContext.self).find(Wallet.self, id: "a")?.add(1)
    }
}
