// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import Headrace
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

private final class Account: StoredEntity {
    static let entityName = "account"

    let id: String
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

private struct AmountBooked: DurableDomainEvent {
    static let eventName = "amount-booked"
    let account: String
    let cents: Int
}

private final class Total: StoredEntity {
    static let entityName = "total"

    let id: String
    var cents = 0
    var raisedEvents = RaisedEvents()

    init(_ id: String) {
        self.id = id
    }
}

@Resolvable
private struct AddUp: HandlesDurableDomainEvent {
    static let subscriptionName = "totals"

    private let context: EntityContext

    func handle(_ event: AmountBooked) async throws {
        let total = try await context.find(Total.self, id: event.account) ?? Total(event.account)
        context.insert(total)
        total.cents += event.cents
    }
}

@Resolvable
private struct SendReceipt: HandlesDurableDomainEvent {
    static let subscriptionName = "receipts"

    private let archive: Archive
    private let mail: Mail

    func handle(_ event: AmountBooked) async throws {
        archive.keep(event)
        if DeliveryContext.current?.isReplay == true { return }
        mail.send("Booked: \(event.cents)")
    }
}

private struct Archive: Sendable {
    let journal: DeliveryJournal

    func keep(_ event: AmountBooked) {
        journal.note("archived \(event.cents)")
    }
}

private struct Mail: Sendable {
    let journal: DeliveryJournal

    func send(_ text: String) {
        journal.note(text)
    }
}

@Suite(.timeLimit(.minutes(2))) struct ReplayTests {
    private let store: InMemoryStore
    private let journal = DeliveryJournal()
    private let registrar: DomainEventHandlerRegistrar

    init() throws {
        store = try InMemoryStore(entities: [Account.self, Total.self])
        let services = ServiceLocator()
        services.register(Archive(journal: journal))
        services.register(Mail(journal: journal))
        registrar = DomainEventHandlerRegistrar(resolver: services)
    }

    private func makeRelay() -> Relay {
        Relay(
            store: store,
            registrar: registrar,
            configuration: .withLongLeases,
            relayObservers: [journal]
        )
    }

    private func execute(_ body: nonisolated(nonsending) (EntityContext) async throws -> Void) async throws {
        try await UnitOfWork(delegator: registrar, context: EntityContext(store)).execute(body)
    }

    private func book(_ amounts: Int..., to id: String) async throws {
        try await execute { context in
            let account = Account(id)
            context.insert(account)
            for amount in amounts { account.raiseEvent(AmountBooked(account: id, cents: amount)) }
        }
    }

    @Test func aReplayRebuildsTheTotals() async throws {
        registrar.register(AddUp.self)
        try await book(100, 50, to: "ada")
        try await withRelay(makeRelay()) { await journal.wait(for: 2, "delivered") }
        // An error of an earlier version of the handler.
        try await execute { try await $0.find(Total.self, id: "ada")?.cents = 7 }

        let relay = makeRelay()
        let unitOfWork = UnitOfWork(delegator: registrar, context: EntityContext(store))
        try await unitOfWork.execute { context in
            for total in try await context.fetch(Total.self) { context.delete(total) }
        }
        let count = try await relay.replay("totals")
        #expect(count == 2)
        try await withRelay(relay) { await journal.wait(for: 4, "delivered") }

        #expect(try await EntityContext(store).find(Total.self, id: "ada")?.cents == 150)
    }

    @Test func aHandlerRecognizesAReplay() async throws {
        registrar.register(SendReceipt.self)
        registrar.register(AddUp.self)
        try await book(100, to: "ada")
        try await withRelay(makeRelay()) { await journal.wait(for: 2, "delivered") }

        let relay = makeRelay()
        try await relay.replay("receipts")
        try await withRelay(relay) { await journal.wait(for: 2, "delivered to receipts") }

        #expect(journal.all.filter { !$0.hasPrefix("delivered") } == ["archived 100", "Booked: 100", "archived 100"])
        #expect(journal.all.count { $0 == "delivered to totals" } == 1)
    }

    @Test func aReplayCanBeginAfterAnEvent() async throws {
        registrar.register(AddUp.self)
        try await book(100, 50, 25, to: "ada")
        try await withRelay(makeRelay()) { await journal.wait(for: 3, "delivered") }
        let first = try await store.events(after: 0, limit: 1)[0].position

        let relay = makeRelay()
        #expect(try await relay.replay("totals", after: first) == 2)
    }

    @Test func aPendingEventIsNotDeliveredTwice() async throws {
        registrar.register(AddUp.self)
        try await book(100, to: "ada")

        let relay = makeRelay()
        #expect(try await relay.replay("totals") == 0)
        try await withRelay(relay) { await journal.wait("delivered") }

        #expect(try await EntityContext(store).find(Total.self, id: "ada")?.cents == 100)
        #expect(try await store.deliveryStatistics().pendingCount == 0)
    }

    @Test func anEventThatIsHandledBeforeTheReplayCountsTwice() async throws {
        registrar.register(AddUp.self)
        try await book(100, to: "ada")
        try await withRelay(makeRelay()) { await journal.wait("delivered") }

        let relay = makeRelay()
        try await relay.replay("totals")
        try await withRelay(relay) { await journal.wait(for: 2, "delivered") }

        #expect(try await EntityContext(store).find(Total.self, id: "ada")?.cents == 200)
    }

    @Test func aNewSubscriptionReceivesOldEventsByAReplay() async throws {
        try await book(100, to: "ada")
        registrar.register(AddUp.self)

        let relay = makeRelay()
        #expect(try await relay.replay("totals") == 1)
        try await withRelay(relay) { await journal.wait("delivered") }

        #expect(try await EntityContext(store).find(Total.self, id: "ada")?.cents == 100)
    }
}
#endif
