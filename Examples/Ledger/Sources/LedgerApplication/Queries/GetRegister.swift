// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A query for the postings to accounts, with the running totals.
public struct GetRegister: CQDQuery {
    /// A posting.
    public struct Entry: Sendable, Hashable {
        /// The identifier of the transaction.
        public let transaction: UUID

        /// The date of the transaction.
        public let date: BookDate

        /// The description of the transaction.
        public let description: String

        /// The account of the posting.
        public let account: String

        /// The amount of the posting.
        public let amount: Amount

        /// The total of the commodity after the posting.
        public let total: Quantity
    }

    /// The postings, ordered by date, then by the order in which they were posted.
    public typealias Value = [Entry]

    /// Patterns of which an account's name must match one, or none if they begin with `not:`.
    public let patterns: [String]

    /// The period of the entries.
    ///
    /// Their totals include the postings before the period.
    public let period: BookPeriod

    /// Creates the query.
    public init(matching patterns: [String], in period: BookPeriod = BookPeriod()) {
        self.patterns = patterns
        self.period = period
    }
}

/// Reads the transactions.
///
/// Throws ``AccountPatternError``, also if no account matches.
public final class GetRegisterHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetRegister) async throws -> [GetRegister.Entry] {
        let patterns = try AccountPatterns(query.patterns)
        let known = try await context.fetch(Account.self).map(\.id)
        let accounts = Set(try known.filter { try patterns.match($0) })
        if accounts.isEmpty { throw AccountPatternError.noMatch(of: query.patterns) }
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
                guard query.period.contains(transaction.date) else { continue }
                entries.append(
                    GetRegister.Entry(
                        transaction: transaction.id,
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
