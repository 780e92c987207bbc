//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import HeadraceDomain
public import HeadraceResolution
import Measuring

/// The entity whose change is measured.
public final class Account: StoredEntity {
    /// Its name.
    public static let entityName = "account"

    /// Its number.
    public let id: Int
    /// What was deposited.
    public private(set) var balance = 0
    /// What it has raised.
    public var raisedEvents = RaisedEvents()

    /// Creates an account.
    public init(_ id: Int) {
        self.id = id
    }

    /// Adds `amount`, and raises an event of it.
    public func deposit(_ amount: Int) {
        balance += amount
        raiseEvent(Deposited(account: id, amount: amount))
    }
}

/// What an account raises.
public struct Deposited: DomainEvent {
    /// The number of the account.
    public let account: Int
    /// How much.
    public let amount: Int
}

/// Runs before the commit.
public struct CheckDeposit: DomainEventHandler {
    /// Looks at the event.
    public static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        consume(event.amount)
    }
}

/// Runs after the commit.
public struct NoteDeposit: DomainEventHandler {
    /// After the commit.
    public static let isPostCommit = true

    /// Looks at the event.
    public static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        consume(event.account)
    }
}
