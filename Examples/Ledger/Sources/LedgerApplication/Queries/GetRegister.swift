//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerBooks

/// Asks for what was posted to an account and the accounts below it.
public struct GetRegister: CQDQuery {
    /// One posting.
    public struct Entry: Sendable, Hashable {
        /// The day of the transaction.
        public let date: BookDate

        /// What the transaction is about.
        public let description: String

        /// The account of the posting: the one asked for or one below it.
        public let account: String

        /// What was posted.
        public let amount: Amount

        /// What was posted in that commodity so far, this posting included.
        public let total: Quantity
    }

    /// In the order of the days, then in that of posting.
    public typealias Value = [Entry]

    /// The full name of the account.
    public let account: String

    /// Creates the query.
    public init(of account: String) {
        self.account = account
    }
}

/// Answers from the transactions; throws ``UnknownAccount`` where there is no such account nor one below it.
public final class GetRegisterHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Answers; see the query.
    public func handle(_ query: GetRegister) async throws -> [GetRegister.Entry] {
        let accounts = try await Account.names(upFrom: query.account, in: context)
        var totals: [String: Quantity] = [:]
        var entries: [GetRegister.Entry] = []
        let transactions = try await context.fetch(
            Transaction.self,
            where: [.isOneOf(.account, Array(accounts))],
            orderedBy: .ascending(.date)
        )
        for transaction in transactions {
            for posting in transaction.postings where accounts.contains(posting.account) {
                let commodity = posting.amount.commodity
                let total = try (totals[commodity] ?? .zero).adding(posting.amount.quantity)
                totals[commodity] = total
                entries.append(
                    GetRegister.Entry(
                        date: transaction.date,
                        description: transaction.description,
                        account: posting.account,
                        amount: posting.amount,
                        total: total
                    )
                )
            }
        }
        return entries
    }
}
