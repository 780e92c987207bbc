// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A query for a posted transaction.
public struct GetTransaction: CQDQuery {
    /// A posted transaction.
    public struct Posted: Sendable, Hashable {
        /// The identifier.
        public let id: UUID

        /// The date of the transaction.
        public let date: BookDate

        /// The status mark.
        public let status: TransactionStatus

        /// A reference; empty for none.
        public let code: String

        /// The description or payee.
        public let description: String

        /// The comment; empty for none.
        public let comment: String

        /// The postings.
        public let postings: [Posting]

        /// The identifier of the transaction that this transaction reverses; `nil` for none.
        public let reverses: UUID?

        /// The identifier of the transaction that reverses this transaction; `nil` for none.
        public let reversedBy: UUID?
    }

    /// The transaction; `nil` if it doesn't exist.
    public typealias Value = Posted?

    let id: UUID

    /// Creates a query for the transaction with the identifier `id`.
    public init(id: UUID) {
        self.id = id
    }
}

/// Reads the transaction.
public final class GetTransactionHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the query.
    public func handle(_ query: GetTransaction) async throws -> GetTransaction.Posted? {
        try await context.find(Transaction.self, id: query.id)?.posted
    }
}

extension Transaction {
    /// The transaction as a value.
    var posted: GetTransaction.Posted {
        GetTransaction.Posted(
            id: id,
            date: date,
            status: status,
            code: code,
            description: description,
            comment: comment,
            postings: postings,
            reverses: reverses,
            reversedBy: reversedBy
        )
    }
}
