// SPDX-License-Identifier: Apache-2.0

public import Headrace
import LedgerBooks

/// Returns the rules that an account must follow: its own rule, and those of its parents.
public struct GetAccountRule: CQDQuery {
    /// The accounts with these rules, the highest parent first.
    public typealias Value = [GetAccountRules.RuledAccount]

    /// The full name of the account.
    public let account: String

    /// Creates the query.
    public init(of account: String) {
        self.account = account
    }
}

/// Handles ``GetAccountRule``.
///
/// Throws ``UnknownAccount``.
public final class GetAccountRuleHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetAccountRule) async throws -> [GetAccountRules.RuledAccount] {
        _ = try await Account.names(upFrom: query.account, in: context)
        let name = query.account.composed
        return try await context.find(Account.self, ids: Account.parents(of: name) + [name])
            .sorted { $0.id < $1.id }
            .compactMap { account in account.rule.map { .init(account: account.id, rule: $0) } }
    }
}
