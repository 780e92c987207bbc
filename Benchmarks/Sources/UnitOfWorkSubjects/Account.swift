// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceDomain
public import HeadraceResolution
import Measuring

/// The entity of the measurement.
public final class Account: StoredEntity {
    /// The name of the entity type.
    public static let entityName = "account"

    /// The number of the account.
    public let id: Int
    /// The sum of the deposits.
    public private(set) var balance = 0
    /// The raised events.
    public var raisedEvents = RaisedEvents()

    /// Creates an account.
    public init(_ id: Int) {
        self.id = id
    }

    /// Adds `amount`, and raises an event.
    public func deposit(_ amount: Int) {
        balance += amount
        raiseEvent(Deposited(account: id, amount: amount))
    }
}

/// The event of a deposit.
public struct Deposited: DomainEvent {
    /// The number of the account.
    public let account: Int
    /// The amount of the deposit.
    public let amount: Int
}

/// A handler that runs before the commit.
public struct CheckDeposit: DomainEventHandler {
    /// Reads the event.
    public static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        consume(event.amount)
    }
}

/// A handler that runs after the commit.
public struct NoteDeposit: DomainEventHandler {
    /// Runs the handler after the commit.
    public static let isPostCommit = true

    /// Reads the event.
    public static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        consume(event.account)
    }
}
