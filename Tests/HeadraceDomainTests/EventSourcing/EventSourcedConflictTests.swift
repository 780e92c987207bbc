// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceTesting
import Testing

@testable import HeadraceDomain
@testable import HeadraceStorage

@Suite struct EventSourcedConflictTests {
    private let wallets: WalletFixture
    private let reference = EntityReference(kind: "wallet", key: "a")

    init() throws {
        wallets = try WalletFixture()
    }

    @Test(arguments: [0, 1, 2, 3, 7])
    func ofTwoContextsTheSlowerFailsAndStoresNothing(deposits: Int) async throws {
        try await wallets.open(deposits: deposits)

        let error = await caught(StoreError.self) {
            try await wallets.work { context in
                try await context.find(Wallet.self, id: "a")?.add(100)
                try await EntityContext(wallets.store).change { try await $0.find(Wallet.self, id: "a")?.add(10) }
            }
        }

        #expect(error?.code == .versionConflict)
        #expect(error?.entity == reference)
        #expect(error?.isRetryable == true)
        #expect(try await wallets.balance() == deposits + 10)
        #expect(try await wallets.store.events(after: 0, limit: 100).count == deposits + 2)
    }

    @Test func aRetryAfterAConflictKeepsTheEventsOfBoth() async throws {
        try await wallets.open(deposits: 1)
        var attempts = 0

        while true {
            do {
                try await wallets.work { context in
                    attempts += 1
                    try await context.find(Wallet.self, id: "a")?.add(100)
                    if attempts == 1 {
                        try await EntityContext(wallets.store).change {
                            try await $0.find(Wallet.self, id: "a")?.add(10)
                        }
                    }
                }
                break
            } catch let error as StoreError where error.isRetryable {}
        }

        #expect(attempts == 2)
        #expect(try await wallets.balance() == 111)
        let history = try await EntityContext(wallets.store).history(of: Wallet.self, id: "a", limit: 10)
        #expect(history.compactMap { ($0.event as? MoneyAdded)?.cents } == [1, 10, 100])
    }

    @Test func anInsertedEntityWithATakenIdentifierIsRefused() async throws {
        try await wallets.open()

        let error = await caught(StoreError.self) {
            try await wallets.work { $0.insert(Wallet.open("a", owner: "Bob")) }
        }
        let raced = await caught(StoreError.self) {
            try await wallets.work { context in
                #expect(try await context.find(Wallet.self, id: "b") == nil)
                context.insert(Wallet.open("b", owner: "Bob"))
                try await EntityContext(wallets.store).change { $0.insert(Wallet.open("b", owner: "Eve")) }
            }
        }

        #expect(error?.code == .alreadyExists)
        #expect(error?.entity == reference)
        #expect(error?.isRetryable == false)
        #expect(raced?.code == .alreadyExists)
        #expect(raced?.isRetryable == true)
        #expect(try await wallets.streamKeys() == ["1", "1"])
    }

    @Test func aUniqueValueOfTheFoldedStateIsTakenOnce() async throws {
        try await wallets.open("a", owner: "Ada")

        let error = await caught(StoreError.self) { try await wallets.open("b", owner: "Ada") }

        #expect(error?.code == .uniqueViolation)
        #expect(error?.entity == EntityReference(kind: "wallet", key: "b"))
        #expect(try await wallets.streamKeys() == ["1"])
    }

    @Test func aNestedUnitOfWorkThatFailsLeavesNothingEvenIfTheErrorIsCaught() async throws {
        try await wallets.open(deposits: 1)

        let error = await caught(UnitOfWorkError.self) {
            try await wallets.work { context in
                try await context.find(Wallet.self, id: "a")?.add(100)
                try? await wallets.work { inner in
                    try await inner.find(Wallet.self, id: "a")?.add(200)
                    throw TooLittleMoney()
                }
            }
        }

        #expect(error?.code == .rollbackOnly)
        #expect(try await wallets.balance() == 1)
        #expect(try await wallets.streamKeys() == ["1", "2"])
    }

    @Test func aNestedUnitOfWorkAddsItsEventsInOrder() async throws {
        try await wallets.open()

        try await wallets.work { context in
            try await context.find(Wallet.self, id: "a")?.add(1)
            try await wallets.work { try await $0.find(Wallet.self, id: "a")?.add(2) }
            try await context.find(Wallet.self, id: "a")?.add(3)
        }

        let history = try await EntityContext(wallets.store).history(of: Wallet.self, id: "a", after: 1, limit: 10)
        #expect(history.compactMap { ($0.event as? MoneyAdded)?.cents } == [1, 2, 3])
    }

    @Test func eventsOfAFailedUnitOfWorkAreDroppedAndTheOldObjectIsRefused() async throws {
        try await wallets.open(deposits: 1)
        let context = EntityContext(wallets.store)
        let unitOfWork = UnitOfWork(delegator: wallets.registrar, context: context)
        var kept: Wallet?
        await #expect(throws: TooLittleMoney.self) {
            try await unitOfWork.execute { context in
                kept = try await context.find(Wallet.self, id: "a")
                kept?.add(5)
                try kept?.take(1_000)
            }
        }

        kept?.add(6)
        let error = await caught(StoreError.self) { try await unitOfWork.execute { _ in } }
        try await unitOfWork.execute { try await $0.find(Wallet.self, id: "a")?.add(7) }

        #expect(error?.code == .rolledBack)
        #expect(try await wallets.balance() == 8)
    }

    // MARK: Deletion

    @Test func aDeletionRemovesTheStreamAndNotTheLog() async throws {
        try await wallets.open(deposits: 7)
        try await wallets.open("b", owner: "Bob")

        try await wallets.work { context in
            let wallet = try #require(try await context.find(Wallet.self, id: "a"))
            try wallet.take(7)
            context.delete(wallet)
        }

        #expect(try await wallets.balance() == nil)
        #expect(try await wallets.streamKeys() == ["1"])
        #expect(try await wallets.store.events(after: 0, limit: 100).count == 10)
        #expect(try await EntityContext(wallets.store).fetch(Wallet.self).map(\.id) == ["b"])
    }

    @Test(arguments: [true, false])
    func anEntityThatIsInsertedAgainBeginsANewStream(isOneUnitOfWork: Bool) async throws {
        try await wallets.open(deposits: 7)
        let old = try #require(try await wallets.streamDocuments().first).reference.key.prefix(36)

        if isOneUnitOfWork {
            try await wallets.work { context in
                context.delete(try #require(try await context.find(Wallet.self, id: "a")))
                context.insert(Wallet.open("a", owner: "Bob"))
            }
        } else {
            try await wallets.work { $0.delete(try #require(try await $0.find(Wallet.self, id: "a"))) }
            try await wallets.open("a", owner: "Bob")
        }
        try await wallets.add(4)

        #expect(try await wallets.balance() == 4)
        #expect(try await wallets.streamKeys() == ["1", "2"])
        #expect(try await wallets.streamDocuments().first?.reference.key.prefix(36) != old)
        #expect(
            try await EntityContext(wallets.store).fetch(Wallet.self, where: [.equals(.owner, "Bob")]).map(\.id) == [
                "a"
            ])
        #expect(try await EntityContext(wallets.store).fetch(Wallet.self, where: [.equals(.owner, "Ada")]).isEmpty)
    }

    @Test func anInsertionAfterADeletionOfTheSameObjectTakesTheDeletionBack() async throws {
        try await wallets.open(deposits: 2)

        try await wallets.work { context in
            let wallet = try #require(try await context.find(Wallet.self, id: "a"))
            wallet.add(10)
            context.delete(wallet)
            #expect(try await context.find(Wallet.self, id: "a") == nil)
            context.insert(wallet)
            #expect(try await context.find(Wallet.self, id: "a") === wallet)
            wallet.add(100)

            let new = Wallet.open("b", owner: "Bob")
            context.insert(new)
            context.delete(new)
            context.insert(new)
        }

        #expect(try await wallets.balance() == 112)
        #expect(try await wallets.balance(of: "b") == 0)
    }

    @Test(arguments: [true, false])
    func aStreamThatIsDeletedDuringTheReadIsNotMixedWithAnother(isInsertedAgain: Bool) async throws {
        try await wallets.open(deposits: 5)
        let store = CountingStore(wallets.store)
        store.beforeNextStream { [wallets] in
            try await wallets.work { $0.delete(try #require(try await $0.find(Wallet.self, id: "a"))) }
            if isInsertedAgain {
                try await wallets.open("a", owner: "Ada")
                try await wallets.add(1_000)
            }
        }

        let found = try await EntityContext(store).fetch(Wallet.self, where: [.isIn(.balance, 0..<10)])
        #expect(found.isEmpty)

        store.beforeNextStream { [wallets] in
            try await wallets.work { context in
                if let wallet = try await context.find(Wallet.self, id: "a") { context.delete(wallet) }
            }
        }
        #expect(try await EntityContext(store).find(Wallet.self, id: "a") == nil)
    }

    @Test func anEntityWhoseSnapshotIsReplacedDuringTheReadIsReadFromTheNewSnapshot() async throws {
        try await Wallet.$interval.withValue(1) {
            try await wallets.open(deposits: 49)
            let store = CountingStore(wallets.store)
            store.beforeNextStream { [wallets] in try await wallets.add(1_000) }

            let context = EntityContext(store)
            let wallet = try #require(try await context.find(Wallet.self, id: "a"))
            #expect(wallet.balance == 1_049)
            // The entity; no snapshot; the entity and its snapshot.
            #expect(store.read == [4, 3])

            wallet.add(1)
            try await context.commit(context.takeEvents())
            #expect(try await wallets.balance() == 1_050)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func anEntityWhoseSnapshotIsReplacedDuringEachReadIsFoldedFromItsEvents() async throws {
        try await Wallet.$interval.withValue(1) {
            try await wallets.open(deposits: 49)
            let store = CountingStore(wallets.store)
            store.beforeEachStream { [wallets] in try await wallets.add(1_000) }

            let context = EntityContext(store)
            let wallet = try #require(try await context.find(Wallet.self, id: "a"))
            #expect(wallet.balance == 2_049)

            wallet.add(1)
            let events = context.takeEvents()
            let error = await caught(StoreError.self) { try await context.commit(events) }
            #expect(error?.code == .versionConflict)
            #expect(try await wallets.balance() == 4_049)
        }
    }
}

extension EntityContext {
    /// Runs `body`, and commits without a unit of work.
    fileprivate nonisolated(nonsending) func change(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Void
    ) async throws {
        try await body(self)
        try await commit(takeEvents())
    }
}
