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
    public static let entityName = "account"

    public let id: Int
    public private(set) var balance = 0
    public var raisedEvents = RaisedEvents()

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
    public let account: Int
    public let amount: Int
}

/// Runs before the commit.
public struct CheckDeposit: DomainEventHandler {
    public static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        consume(event.amount)
    }
}

/// Runs after the commit.
public struct NoteDeposit: DomainEventHandler {
    public static let isPostCommit = true

    public static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        consume(event.account)
    }
}
