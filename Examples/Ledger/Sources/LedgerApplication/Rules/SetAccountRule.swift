//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace

/// Asks for a rule to hold of an account from now on.
public struct SetAccountRule: CQDCommand, Codable, TakesTurns {
    /// The full name of the account.
    public let account: String

    /// The rule; `nil` for none.
    public let rule: AccountRule?

    /// The account.
    public var turns: Set<String> { [Account.turn(of: account)] }

    /// Creates the command.
    public init(_ rule: AccountRule?, of account: String) {
        self.account = account
        self.rule = rule
    }
}

/// Sets the rule; throws ``UnknownAccount`` where there is no such account, and ``AccountRefusal`` where the account
/// breaks the rule as it stands.
public final class SetAccountRuleHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(UnitOfWork<EntityContext>.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    /// Sets the rule; see the command.
    public func handle(_ command: SetAccountRule) async throws {
        try await unitOfWork.execute { context in
            guard let account = try await context.find(Account.self, id: command.account) else {
                throw UnknownAccount(
                    account: command.account,
                    known: try await context.fetch(Account.self).map(\.id)
                )
            }
            try account.setRule(command.rule)
        }
    }
}
