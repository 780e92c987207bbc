// SPDX-License-Identifier: Apache-2.0

package import HeadraceDomain
package import HeadraceStorage

/// An event-sourced entity, whose settings a test can change.
package final class Wallet: EventSourcedEntity {
    package static let entityName = "wallet"

    /// The settings of the current task.
    @TaskLocal package static var interval = 3
    @TaskLocal package static var version = 1

    package static var snapshotInterval: Int { interval }
    package static var schemaVersion: Int { version }

    package static var appliedEvents: [AppliedEvent<Wallet>] {
        [
            .on(WalletOpened.self) { wallet, event in wallet.owner = event.owner },
            .on(MoneyAdded.self) { wallet, event in
                wallet.balance += event.cents
                wallet.changes += 1
            },
            .on(MoneyTaken.self) { wallet, event in
                wallet.balance -= event.cents
                wallet.changes += 1
            },
        ]
    }

    package static var indexes: [EntityIndex<Wallet>] { version == 1 ? [.owner, .balance] : [.owner, .changes] }

    package let id: String
    package var owner = ""
    package var balance = 0
    package var changes = 0
    package var raisedEvents = RaisedEvents()

    package init(id: String) { self.id = id }

    /// Returns a new wallet.
    package static func open(_ id: String, owner: String = "Ada") -> Wallet {
        let wallet = Wallet(id: id)
        wallet.raiseEvent(WalletOpened(owner: owner))
        return wallet
    }

    package func add(_ cents: Int) { raiseEvent(MoneyAdded(cents: cents)) }

    package func take(_ cents: Int) throws {
        if balance < cents { throw TooLittleMoney() }
        raiseEvent(MoneyTaken(cents: cents))
    }
}

extension EntityIndex<Wallet> {
    package static var owner: Self { EntityIndex("owner", unique: true) { $0.owner } }
    package static var balance: Self { EntityIndex("balance") { $0.balance } }
    package static var changes: Self { EntityIndex("changes") { $0.changes } }
}

package struct TooLittleMoney: Error {
    package init() {}
}

package struct WalletOpened: DurableDomainEvent {
    package static let eventName = "wallet-opened"
    package var owner: String

    package init(owner: String) { self.owner = owner }
}

package struct MoneyAdded: DurableDomainEvent, Equatable {
    package static let eventName = "money-added"
    package static let eventVersion = 2
    package static let eventMigrations = [
        JSONMigration(from: 1) { event in
            // Version 1 counted whole euros.
            if case .integer(let euros) = event.removeValue(forKey: "euros") { event["cents"] = .integer(euros * 100) }
        }
    ]
    package var cents: Int

    package init(cents: Int) { self.cents = cents }
}

package struct MoneyTaken: DurableDomainEvent, Equatable {
    package static let eventName = "money-taken"
    package var cents: Int

    package init(cents: Int) { self.cents = cents }
}
