//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerBooks

/// Asks what is on the accounts.
public struct GetBalances: CQDQuery {
    /// What is on one account in one commodity.
    public struct Balance: Sendable, Hashable {
        /// The full name of the account.
        public let account: String

        /// What is on it; never zero.
        public let amount: Amount
    }

    /// Ordered by account, then by commodity.
    public typealias Value = [Balance]

    /// Only accounts whose name contains one of these, in upper or lower case; all where it is empty.
    public let patterns: [String]

    /// Creates the query.
    public init(matching patterns: [String] = []) {
        self.patterns = patterns
    }
}

/// Answers from the balances that the accounts keep.
public final class GetBalancesHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Answers; see the query.
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
