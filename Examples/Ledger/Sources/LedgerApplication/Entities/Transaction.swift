//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace
public import LedgerBooks

/// A transaction that was posted: balanced for certain, and never changed.
public final class Transaction: StoredEntity {
    /// The name under which the entities are stored.
    public static let entityName = "transaction"

    /// Since version 2, the names of accounts in documents and in the index are composed.
    public static let schemaVersion = 2

    /// What the entities are fetched by.
    public static var indexes: [EntityIndex<Transaction>] { [.date, .account, .origin] }

    /// What has happened to the entity and was not handled yet.
    public var raisedEvents = RaisedEvents()

    /// Tells the transaction from all others; later ones sort after earlier ones.
    public let id: UUID

    /// The day of the transaction.
    public let date: BookDate

    /// The mark of the whole transaction.
    public let status: TransactionStatus

    /// A reference such as the number of a cheque; empty for none.
    public let code: String

    /// What the transaction is about.
    public let description: String

    /// The comment, its lines parted by line feeds; empty for none.
    public let comment: String

    /// The lines; in each commodity they come to nothing, at cost.
    public let postings: [Posting]

    /// Where the transaction comes from, if it must not be posted from there again.
    public let origin: Fingerprint?

    /// Posts `draft`, and raises ``TransactionPosted``.
    ///
    /// - Throws: `PostingRefusal` if the draft isn't a transaction, above all if it isn't balanced; also if an amount is
    ///   too large or too fine for totals.
    public init(posting draft: TransactionDraft, id: UUID = .version7(), origin: Fingerprint? = nil) throws {
        self.id = id
        date = draft.date
        status = draft.status
        code = draft.code
        description = draft.description
        comment = draft.comment
        postings = try draft.balanced()
        for posting in postings {
            let digits = DigitRange(of: posting.amount.quantity)
            if !digits.fits { throw PostingRefusal.beyondTotals(posting.amount, on: posting.account, needing: digits) }
        }
        self.origin = origin
        raiseEvent(TransactionPosted(transaction: id, date: date, postings: postings))
    }
}

extension EntityIndex<Transaction> {
    /// The day.
    public static var date: Self { EntityIndex("date") { $0.date.description } }

    /// The accounts of the postings.
    public static var account: Self { EntityIndex("account", each: { $0.postings.map(\.account) }) }

    /// The origin: nothing is posted from there twice, whoever tries.
    public static var origin: Self { EntityIndex("origin", unique: true) { $0.origin } }
}

extension Transaction {
    /// Returns the `origins` from which a transaction was posted before.
    static func known(among origins: [JournalOrigin], in context: EntityContext) async throws -> Set<JournalOrigin> {
        let fingerprints = origins.map(\.fingerprint) + origins.compactMap(\.uncomposed)
        let transactions = try await context.fetch(Transaction.self, where: [.isOneOf(.origin, fingerprints)])
        let known = Set(transactions.compactMap(\.origin))
        return Set(
            origins.filter { known.contains($0.fingerprint) || $0.uncomposed.map { known.contains($0) } ?? false }
        )
    }
}
