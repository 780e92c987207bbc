// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import Headrace
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Synchronization
import Testing

private final class Account: StoredEntity {
    static let entityName = "account"

    let id: String
    private(set) var balance = 0
    var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }

    func book(_ amount: Int) {
        balance += amount
        raiseEvent(AmountBooked(account: id, amount: amount))
    }
}

private struct AmountBooked: DurableDomainEvent {
    static let eventName = "amount-booked"
    var account: String
    var amount: Int
}

@Resolvable
private struct NothingIsOverdrawn: HandlesDomainEvent {
    private let context: EntityContext

    func handle(_ event: AmountBooked) async throws {
        guard let account = try await context.find(Account.self, id: event.account) else { return }
        if account.balance < 0 { throw Overdrawn(account: account.id) }
    }
}

@Resolvable
private struct TellTheOwner: HandlesDurableDomainEvent {
    static let subscriptionName = "owners"

    private let letters: Letters

    func handle(_ event: AmountBooked) async throws {
        letters.send("\(event.amount) booked to \(event.account)")
    }
}

private struct Overdrawn: Error, Equatable {
    let account: String
}

private final class Letters: Sendable {
    let sent: AsyncStream<String>
    private let outbox: AsyncStream<String>.Continuation

    init() {
        (sent, outbox) = AsyncStream.makeStream()
    }

    func send(_ letter: String) {
        outbox.yield(letter)
    }
}

private func transfer(
    _ amount: Int,
    from payer: String,
    to payee: String,
    in unitOfWork: UnitOfWork<EntityContext>
) async throws {
    try await unitOfWork.execute { context in
        try await context.find(Account.self, id: payee)?.book(amount)
        try await context.find(Account.self, id: payer)?.book(-amount)
    }
}

@Suite(.timeLimit(.minutes(2))) struct EntitiesAndEventsTests {
    @Test func bothAccountsChangeOrNoneAndTheOwnersAreNotified() async throws {
        let store = try InMemoryStore(entities: [Account.self])
        let services = ServiceLocator()
        let letters = Letters()
        services.register(letters)
        let registrar = DomainEventHandlerRegistrar(resolver: services)
        registrar.register(NothingIsOverdrawn.self)
        registrar.register(TellTheOwner.self)
        let books = { UnitOfWork(delegator: registrar, context: EntityContext(store)) }
        try await books().execute { context in
            let ada = Account(id: "ada")
            ada.book(100)
            context.insert(ada)
            context.insert(Account(id: "bea"))
        }

        try await transfer(70, from: "ada", to: "bea", in: books())
        await #expect(throws: Overdrawn(account: "ada")) {
            try await transfer(70, from: "ada", to: "bea", in: books())
        }
        #expect(try await EntityContext(store).find(Account.self, id: "ada")?.balance == 30)
        #expect(try await EntityContext(store).find(Account.self, id: "bea")?.balance == 70)

        let relay = Relay(store: store, registrar: registrar)
        async let running: Void = relay.run()
        var told: Set<String> = []
        for await letter in letters.sent {
            told.insert(letter)
            if told.count == 3 { break }
        }
        relay.shutDown()
        try await running

        #expect(told == ["100 booked to ada", "70 booked to bea", "-70 booked to ada"])
    }
}
#endif
