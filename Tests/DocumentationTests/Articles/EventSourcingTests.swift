// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceDomain
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

private struct AccountOpened: DurableDomainEvent {
    static let eventName = "account-opened"
    var owner: String
}

private struct MoneyDeposited: DurableDomainEvent {
    static let eventName = "money-deposited"
    var cents: Int
}

private struct MoneyWithdrawn: DurableDomainEvent {
    static let eventName = "money-withdrawn"
    var cents: Int
}

private struct InsufficientFunds: Error {}

private final class Account: EventSourcedEntity {
    static let entityName = "account"
    static var indexes: [EntityIndex<Account>] { [.owner] }
    static var appliedEvents: [AppliedEvent<Account>] {
        [
            .on(AccountOpened.self) { account, event in account.owner = event.owner },
            .on(MoneyDeposited.self) { account, event in account.balance += event.cents },
            .on(MoneyWithdrawn.self) { account, event in account.balance -= event.cents },
        ]
    }

    let id: String
    private(set) var owner = ""
    private(set) var balance = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }

    static func open(_ id: String, owner: String) -> Account {
        let account = Account(id: id)
        account.raiseEvent(AccountOpened(owner: owner))
        return account
    }

    func deposit(_ cents: Int) {
        raiseEvent(MoneyDeposited(cents: cents))
    }

    func withdraw(_ cents: Int) throws {
        if balance < cents { throw InsufficientFunds() }
        raiseEvent(MoneyWithdrawn(cents: cents))
    }
}

extension EntityIndex<Account> {
    fileprivate static var owner: Self { EntityIndex("owner") { $0.owner } }
}

@Suite struct EventSourcingTests {
    @Test func anAccountIsTheResultOfItsEvents() async throws {
        let store = try InMemoryStore(entities: [Account.self])
        let registrar = DomainEventHandlerRegistrar(resolver: ServiceLocator())
        let unitOfWork = UnitOfWork(on: store, delegator: registrar)

        try await unitOfWork.execute { context in
            context.insert(Account.open("a", owner: "Ada"))
        }
        try await unitOfWork.execute { context in
            let account = try await context.find(Account.self, id: "a")
            account?.deposit(500)
            try account?.withdraw(200)
        }
        let rich = try await EntityContext(store).fetch(Account.self, where: [.equals(.owner, "Ada")])
        let history = try await EntityContext(store).history(of: Account.self, id: "a", limit: 100)

        #expect(rich.map(\.balance) == [300])
        #expect(history.map(\.number) == [1, 2, 3])
    }

    @Test func aScenarioComparesTheRaisedEvents() {
        EventSourcedScenario(Account.self, id: "a")
            .given(AccountOpened(owner: "Ada"), MoneyDeposited(cents: 500))
            .when { try $0.withdraw(200) }
            .then(MoneyWithdrawn(cents: 200))
            .then { #expect($0.balance == 300) }
            .when { try $0.withdraw(301) }
            .thenThrows(InsufficientFunds.self)
    }
}
