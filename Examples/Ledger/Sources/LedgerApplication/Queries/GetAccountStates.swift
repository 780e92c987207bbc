// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// A query for the balances and transaction counts of accounts.
public struct GetAccountStates: CQDQuery {
    /// The balances and the transaction count of an account.
    public struct AccountState: Sendable, Hashable {
        /// The full name of the account.
        public let account: String

        /// The balances that aren't zero, ordered by commodity.
        public let amounts: [Amount]

        /// Number of transactions whose first posting is to the account.
        public let transactionCount: Int
    }

    /// The existing accounts, unordered.
    public typealias Value = [AccountState]

    /// The names of the accounts; `nil` for all.
    public let accounts: Set<String>?

    /// Creates the query.
    public init(of accounts: Set<String>? = nil) {
        self.accounts = accounts
    }
}

/// Reads the accounts.
public final class GetAccountStatesHandler: HandlesQuery, Resolvable {
    /// Above this number of names, all accounts are read at once.
    private static let mostSingly = 64

    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetAccountStates) async throws -> [GetAccountStates.AccountState] {
        guard let names = query.accounts, names.count <= Self.mostSingly else {
            return try await context.fetch(Account.self)
                .filter { query.accounts?.contains($0.id) ?? true }
                .map(Self.state)
        }
        var states: [GetAccountStates.AccountState] = []
        for name in names {
            if let account = try await context.find(Account.self, id: name) { states.append(Self.state(of: account)) }
        }
        return states
    }

    private static func state(of account: Account) -> GetAccountStates.AccountState {
        GetAccountStates.AccountState(
            account: account.id,
            amounts: account.balances.amounts,
            transactionCount: account.transactionCount
        )
    }
}
