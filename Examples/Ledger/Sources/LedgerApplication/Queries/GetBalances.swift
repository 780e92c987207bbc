//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerBooks

/// A query for the balances of accounts.
public struct GetBalances: CQDQuery {
    /// The balance of one account in one commodity.
    public struct Balance: Sendable, Hashable {
        /// The full name of the account.
        public let account: String

        /// The balance, never zero.
        public let amount: Amount
    }

    /// The balances, ordered by account, then by commodity.
    public typealias Value = [Balance]

    /// Texts of which an account's name must contain one, in upper or lower case; empty for all accounts.
    public let patterns: [String]

    /// Creates the query.
    public init(matching patterns: [String] = []) {
        self.patterns = patterns
    }
}

/// Reads the balances that are stored in the accounts.
public final class GetBalancesHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetBalances) async throws -> [GetBalances.Balance] {
        let patterns = query.patterns.map { $0.lowercased().composed }
        var balances: [GetBalances.Balance] = []
        for account in try await context.fetch(Account.self) {
            let name = account.id.lowercased().composed
            guard patterns.isEmpty || patterns.contains(where: { name.contains($0) }) else { continue }
            balances += account.amounts.map { GetBalances.Balance(account: account.id, amount: $0) }
        }
        return balances
    }
}
