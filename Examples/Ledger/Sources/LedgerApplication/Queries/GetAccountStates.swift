//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerBooks

/// Asks how accounts stand, for what follows them.
public struct GetAccountStates: CQDQuery {
    /// How an account stands.
    public struct AccountState: Sendable, Hashable {
        /// The full name of the account.
        public let account: String

        /// What is on it, ordered by commodity; none of them zero.
        public let amounts: [Amount]

        /// How many transactions have their first posting here.
        public let transactionCount: Int
    }

    /// The accounts that there are, in no order.
    public typealias Value = [AccountState]

    /// Which accounts; all where it is `nil`.
    public let accounts: Set<String>?

    /// Creates the query.
    public init(of accounts: Set<String>? = nil) {
        self.accounts = accounts
    }
}

/// Answers from the accounts.
public final class GetAccountStatesHandler: HandlesQuery, Resolvable {
    /// Above so many, all are read at once.
    private static let mostSingly = 64

    private let context: EntityContext

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Answers; see the query.
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
            amounts: account.amounts,
            transactionCount: account.transactionCount
        )
    }
}

extension Account {
    /// What is on the account, ordered by commodity; none of it zero.
    var amounts: [Amount] {
        balances.sorted { $0.key < $1.key }.compactMap { $0.value.isZero ? nil : Amount($0.value, $0.key) }
    }
}
