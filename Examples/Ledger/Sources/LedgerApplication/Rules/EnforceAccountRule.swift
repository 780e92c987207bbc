//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Refuses what breaks the rule of an account: before the commit, so that nothing of the unit of work is stored.
///
/// The rule is about what is stored: on the way there, between two postings of one unit of work, it may be broken.
public struct EnforceAccountRule: HandlesDomainEvent, Resolvable {
    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    private let context: EntityContext

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Checks the account after all that the unit of work has booked on it so far.
    public func handle(_ event: AccountMoved) async throws {
        guard let account = try await context.find(Account.self, id: event.account) else { return }
        try account.rule?.check(account, movements: event.movements)
    }
}
