//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Something was booked on an account in this unit of work, for the first time since its movements were told.
///
/// It is not stored. What follows from it comes after the events that are waiting by then, so that all transactions of an
/// import are booked before the accounts tell, once each, how they have moved.
public struct AccountTouched: DomainEvent {
    /// The full name of the account.
    public let account: String
}

/// Has the account tell all that was booked on it, in one event.
public struct TellMovements: HandlesDomainEvent, Resolvable {
    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    private let context: EntityContext

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Raises ``AccountMoved``.
    public func handle(_ event: AccountTouched) async throws {
        try await context.find(Account.self, id: event.account)?.tellMovements()
    }
}
