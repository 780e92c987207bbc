// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceTesting
import Testing

@testable import HeadraceDomain
@testable import HeadraceStorage

@Suite struct EventSourcedEntityTests {
    private let wallets: WalletFixture

    init() throws {
        wallets = try WalletFixture()
    }

    @Test func aRaisedEventChangesTheStateAtOnceAndTheStoreFoldsTheSameState() async throws {
        let wallet = Wallet.open("a", owner: "Ada")
        wallet.add(500)
        #expect(wallet.owner == "Ada")
        #expect(wallet.balance == 500)

        try await wallets.work { $0.insert(wallet) }
        try await wallets.work { context in
            let wallet = try #require(try await context.find(Wallet.self, id: "a"))
            #expect(wallet.owner == "Ada")
            #expect(wallet.balance == 500)
            try wallet.take(120)
            #expect(try await context.find(Wallet.self, id: "a") === wallet)
        }

        let found = try #require(try await EntityContext(wallets.store).find(Wallet.self, id: "a"))
        #expect(found.balance == 380)
        #expect(found.changes == 2)
        #expect(found.raisedEvents.events.isEmpty)
    }

    @Test func theEventsAreInTheLogAndInTheStream() async throws {
        try await wallets.open()
        try await wallets.add(7)

        let logged = try await wallets.store.events(after: 0, limit: 10).map(\.event)
        #expect(logged.map(\.name) == ["wallet-opened", "money-added"])
        #expect(logged.map(\.stream) == Array(repeating: EntityReference(kind: "wallet", key: "a"), count: 2))
        let history = try await EntityContext(wallets.store).history(of: Wallet.self, id: "a", limit: 10)
        #expect(history.map(\.number) == [1, 2])
        #expect(history[1].event as? MoneyAdded == MoneyAdded(cents: 7))
    }

    @Test func aHistoryIsReadInPages() async throws {
        try await wallets.open(deposits: 5)
        let context = EntityContext(wallets.store)

        #expect(
            try await context.history(of: Wallet.self, id: "a", after: 2, limit: 3).map(\.number) == [3, 4, 5])
        #expect(try await context.history(of: Wallet.self, id: "a", after: 5, limit: 3).map(\.number) == [6])
        #expect(try await context.history(of: Wallet.self, id: "a", after: 6, limit: 3).isEmpty)
        #expect(try await context.history(of: Wallet.self, id: "a", limit: 0).isEmpty)
        #expect(try await context.history(of: Wallet.self, id: "b", limit: 3).isEmpty)
    }

    @Test func aLongHistoryIsReadInParts() async throws {
        try await Wallet.$interval.withValue(.max) {
            try await wallets.work { context in
                let wallet = Wallet.open("a")
                for _ in 1..<2_500 { wallet.add(1) }
                context.insert(wallet)
            }
        }
        let store = CountingStore(wallets.store)

        let history = try await EntityContext(store).history(of: Wallet.self, id: "a", limit: .max)

        #expect(history.map(\.number) == Array(1...2_500))
        #expect(store.read == [4, 2_501])
        #expect(
            try await EntityContext(store).history(of: Wallet.self, id: "a", after: .max, limit: .max).isEmpty)
    }

    @Test(arguments: [true, false])
    func aHistoryThatIsDeletedDuringTheReadIsReadAgain(isInsertedAgain: Bool) async throws {
        try await wallets.open(deposits: 3)
        let store = CountingStore(wallets.store)
        store.beforeNextStream { [wallets] in
            try await wallets.remove()
            if isInsertedAgain { try await wallets.open(deposits: 1) }
        }

        let history = try await EntityContext(store).history(of: Wallet.self, id: "a", limit: 10)

        #expect(history.map(\.number) == (isInsertedAgain ? [1, 2] : []))
    }

    @Test func aHistoryWithoutAnEventIsReportedEvenIfTheEntityChangesMeanwhile() async throws {
        try await wallets.open(deposits: 3)
        try await wallets.delete("000002")
        let store = CountingStore(wallets.store)
        store.beforeNextStream { [wallets] in try await wallets.add(1) }

        let error = await caught(EventSourcingError.self) {
            try await EntityContext(store).history(of: Wallet.self, id: "a", limit: 10)
        }

        #expect(error?.code == .missingEvent)
        #expect(error?.eventNumber == 2)
    }

    @Test func anUnchangedEntityIsNotWritten() async throws {
        try await wallets.open(deposits: 1)
        let before = try await wallets.store.find(EntityReference(kind: "wallet", key: "a"))

        try await wallets.work { _ = try await $0.find(Wallet.self, id: "a") }

        #expect(try await wallets.store.find(EntityReference(kind: "wallet", key: "a")) == before)
        #expect(before?.version == 2)
    }

    @Test func anEventThatIsNotAppliedIsDeliveredAndIsNotInTheStream() async throws {
        struct Viewed: DurableDomainEvent { static let eventName = "viewed" }
        struct Noticed: DomainEvent {}
        try await wallets.open()

        try await wallets.work { context in
            let wallet = try #require(try await context.find(Wallet.self, id: "a"))
            wallet.raiseEvent(Viewed())
            wallet.raiseEvent(Noticed())
            context.raiseEvent(MoneyAdded(cents: 5), for: EntityReference(to: wallet))
        }

        #expect(try await wallets.store.events(after: 1, limit: 10).map(\.event.name) == ["viewed", "money-added"])
        #expect(try await wallets.streamKeys() == ["1"])
        #expect(try await wallets.balance() == 0)
    }

    // MARK: Mistakes

    @Test func aStateThatIsChangedWithoutAnEventIsRefused() async throws {
        try await wallets.open()

        let error = await caught(EventSourcingError.self) {
            try await wallets.work { try await $0.find(Wallet.self, id: "a")?.balance = 1_000 }
        }
        let both = await caught(EventSourcingError.self) {
            try await wallets.work { context in
                let wallet = try await context.find(Wallet.self, id: "a")
                wallet?.add(1)
                wallet?.balance = 1_000
            }
        }
        let new = await caught(EventSourcingError.self) {
            try await wallets.work { context in
                let wallet = Wallet.open("b", owner: "Bob")
                wallet.balance = 1_000
                context.insert(wallet)
            }
        }

        #expect(error?.code == .stateMismatch)
        #expect(error?.entity == EntityReference(kind: "wallet", key: "a"))
        #expect(both?.code == .stateMismatch)
        #expect(new?.code == .stateMismatch)
        #expect(try await wallets.streamKeys() == ["1"])
        #expect(try await wallets.store.events(after: 0, limit: 10).count == 1)
    }

    @Test func anEffectThatIsNotDeterministicIsRefused() async throws {
        let store = try InMemoryStore(entities: [Dice.self])
        let context = EntityContext(store)
        let dice = Dice(id: "a")
        dice.raiseEvent(Thrown())
        context.insert(dice)
        let events = context.takeEvents()

        let error = await caught(EventSourcingError.self) { try await context.commit(events) }

        #expect(error?.code == .stateMismatch)
        #expect(try await store.find(EntityReference(kind: "dice", key: "a")) == nil)
    }

    @Test func anEntityWithoutEventsIsStored() async throws {
        try await wallets.work { $0.insert(Wallet(id: "a")) }

        #expect(try await wallets.balance() == 0)
        #expect(try await wallets.streamKeys().isEmpty)
        try await wallets.add(3)
        #expect(try await wallets.balance() == 3)
    }

    // MARK: Declarations

    @Test func aStoreRefusesAnInvalidDeclaration() throws {
        for (type, words) in [
            (TwiceApplied.self, "twice"), (Eventless.self, "empty"), (Intervalless.self, "snapshotInterval"),
            (Migrated.self, "schemaMigrations"),
        ] as [(any StoredEntity.Type, String)] {
            let error = #expect(throws: StoreError.self) { try InMemoryStore(entities: [type]) }
            #expect(error?.code == .invalidSchema)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
        #expect(throws: StoreError.self) { try InMemoryStore(entities: [Wallet.self, FalseStream.self]) }
    }
}

private struct Thrown: DurableDomainEvent { static let eventName = "thrown" }

private final class Dice: EventSourcedEntity {
    static let entityName = "dice"
    static var appliedEvents: [AppliedEvent<Dice>] {
        [.on(Thrown.self) { dice, _ in dice.value = RaisedEvents.nextOrder() }]
    }

    let id: String
    var value: UInt64 = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

private struct Twice: DurableDomainEvent { static let eventName = "twice" }

private final class TwiceApplied: EventSourcedEntity {
    static let entityName = "twice-applied"
    static var appliedEvents: [AppliedEvent<TwiceApplied>] {
        [.on(Twice.self) { _, _ in }, .on(Twice.self) { _, _ in }]
    }

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

private final class Eventless: EventSourcedEntity {
    static let entityName = "eventless"
    static var appliedEvents: [AppliedEvent<Eventless>] { [] }

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

private final class Intervalless: EventSourcedEntity {
    static let entityName = "intervalless"
    static let snapshotInterval = 0
    static var appliedEvents: [AppliedEvent<Intervalless>] { [.on(Twice.self) { _, _ in }] }

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

private final class Migrated: EventSourcedEntity {
    static let entityName = "migrated"
    static let schemaVersion = 2
    static let schemaMigrations = [JSONMigration(from: 1) { _ in }]
    static var appliedEvents: [AppliedEvent<Migrated>] { [.on(Twice.self) { _, _ in }] }

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}

private final class FalseStream: StoredEntity {
    static let entityName = "wallet.stream"

    let id: String
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}
