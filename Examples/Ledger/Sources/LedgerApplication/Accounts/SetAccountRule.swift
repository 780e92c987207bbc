// SPDX-License-Identifier: Apache-2.0

public import Headrace
import LedgerBooks

/// A command that sets or removes the rule of an account.
public struct SetAccountRule: CQDCommand, Codable, SerializedCommand {
    /// The full name of the account.
    public let account: String

    /// The rule; `nil` to remove it.
    public let rule: AccountRule?

    /// The key of the account.
    public var lockKeys: Set<String> { [Account.lockKey(of: account.composed)] }

    /// Creates the command.
    public init(_ rule: AccountRule?, of account: String) {
        self.account = account
        self.rule = rule
    }
}

/// Sets the rule.
///
/// Throws ``UnknownAccount``, or ``AccountRefusal`` if the current balances break the rule.
public final class SetAccountRuleHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: SetAccountRule) async throws {
        let name = command.account.composed
        let names = try await Account.names(upFrom: name, in: context)
        let accounts = try await context.find(Account.self, ids: names.sorted())
        let account: Account
        if let known = accounts.first(where: { $0.id == name }) {
            account = known
        } else {
            // Nothing was posted to the account itself.
            account = Account(opening: name)
            context.insert(account)
        }
        try account.setRule(command.rule, over: accounts.filter { $0.id != name })
    }
}
