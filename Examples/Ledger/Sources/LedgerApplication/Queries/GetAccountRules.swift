// SPDX-License-Identifier: Apache-2.0

public import Headrace

/// Returns the accounts with a rule, ordered by name.
public struct GetAccountRules: CQDQuery {
    /// An account with its rule.
    public struct RuledAccount: Sendable, Hashable {
        /// The full name of the account.
        public let account: String

        /// The rule.
        public let rule: AccountRule
    }

    /// The accounts.
    public typealias Value = [RuledAccount]

    /// Patterns of which an account's name must match one, or none if they begin with `not:`; empty for all accounts.
    public let patterns: [String]

    /// Creates the query.
    public init(matching patterns: [String] = []) {
        self.patterns = patterns
    }
}

/// Handles ``GetAccountRules``.
public final class GetAccountRulesHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetAccountRules) async throws -> [GetAccountRules.RuledAccount] {
        let patterns = try AccountPatterns(query.patterns)
        return try await context.fetch(Account.self).filter { try patterns.match($0.id) }.compactMap { account in
            account.rule.map { GetAccountRules.RuledAccount(account: account.id, rule: $0) }
        }
    }
}
