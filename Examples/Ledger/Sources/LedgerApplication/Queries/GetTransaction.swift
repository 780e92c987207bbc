//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace
public import LedgerBooks

/// Asks for a transaction as it was posted.
public struct GetTransaction: CQDQuery {
    /// A transaction.
    public struct Posted: Sendable, Hashable {
        /// Tells it from all others.
        public let id: UUID

        /// Its day.
        public let date: BookDate

        /// Its mark.
        public let status: TransactionStatus

        /// A reference; empty for none.
        public let code: String

        /// What it is about.
        public let description: String

        /// The comment; empty for none.
        public let comment: String

        /// Its lines.
        public let postings: [Posting]
    }

    /// `nil` where there is none.
    public typealias Value = Posted?

    /// Which one is meant.
    enum Choice: Sendable {
        case id(UUID)
        case origin(Fingerprint)
    }

    let choice: Choice

    /// Asks for the one with this identifier.
    public init(id: UUID) {
        choice = .id(id)
    }

    /// Asks for the one that was posted from there.
    public init(from origin: Fingerprint) {
        choice = .origin(origin)
    }
}

/// Answers from the transactions.
public final class GetTransactionHandler: HandlesQuery, Resolvable {
    private let context: EntityContext

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Answers; see the query.
    public func handle(_ query: GetTransaction) async throws -> GetTransaction.Posted? {
        let transaction =
            switch query.choice {
            case .id(let id): try await context.find(Transaction.self, id: id)
            case .origin(let origin):
                try await context.fetch(Transaction.self, where: [.equals(.origin, origin)]).first
            }
        return transaction.map {
            GetTransaction.Posted(
                id: $0.id,
                date: $0.date,
                status: $0.status,
                code: $0.code,
                description: $0.description,
                comment: $0.comment,
                postings: $0.postings
            )
        }
    }
}
