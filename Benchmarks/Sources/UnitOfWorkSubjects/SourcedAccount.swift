// SPDX-License-Identifier: Apache-2.0

public import HeadraceDomain
public import HeadraceResolution
import Measuring

/// An event-sourced entity: its balance is folded from its events.
public final class SourcedAccount: EventSourcedEntity {
    /// The name of the entity type.
    public static let entityName = "sourced-account"

    /// The number of events between two snapshots.
    public static let snapshotInterval = 10

    /// The effects of the events.
    public static var appliedEvents: [AppliedEvent<SourcedAccount>] {
        [.on(SourcedDeposit.self) { $0.balance += $1.amount }]
    }

    /// The number of the account.
    public let id: Int
    /// The sum of the deposits.
    public private(set) var balance = 0
    /// The raised events.
    public var raisedEvents = RaisedEvents()

    /// Creates the account before its first event.
    public init(id: Int) {
        self.id = id
    }

    /// Returns a new account with a first deposit.
    public static func open(_ id: Int) -> SourcedAccount {
        let account = SourcedAccount(id: id)
        account.deposit(1)
        return account
    }

    /// Adds `amount` by an event.
    public func deposit(_ amount: Int) {
        raiseEvent(SourcedDeposit(account: id, amount: amount))
    }
}

/// The event of a deposit, which the store keeps.
public struct SourcedDeposit: DurableDomainEvent {
    /// The name of the event.
    public static let eventName = "sourced-deposit"

    /// The number of the account.
    public let account: Int
    /// The amount of the deposit.
    public let amount: Int
}

/// A handler that runs before the commit.
public struct CheckSourcedDeposit: DomainEventHandler {
    /// Reads the event.
    public static func handle(event: SourcedDeposit, resolver: any DependencyResolver) async throws {
        consume(event.amount)
    }
}

/// A handler that runs after the commit.
public struct NoteSourcedDeposit: DomainEventHandler {
    /// Runs the handler after the commit.
    public static let isPostCommit = true

    /// Reads the event.
    public static func handle(event: SourcedDeposit, resolver: any DependencyResolver) async throws {
        consume(event.account)
    }
}
