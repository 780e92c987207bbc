// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// A posted transaction.
///
/// It is balanced and never changes.
public final class Transaction: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "transaction"

    /// Version of the stored format.
    ///
    /// Since version 2, account names are composed in documents and in the index.
    public static let schemaVersion = 2

    /// The indexes of the entity type.
    public static var indexes: [EntityIndex<Transaction>] { [.date, .account, .origin] }

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The identifier.
    ///
    /// Identifiers sort by the time of their creation.
    public let id: UUID

    /// The date of the transaction.
    public let date: BookDate

    /// The status mark of the transaction.
    public let status: TransactionStatus

    /// A reference, such as the number of a cheque; empty for none.
    public let code: String

    /// The description or payee.
    public let description: String

    /// The comment, its lines separated by line feeds; empty for none.
    public let comment: String

    /// The postings.
    ///
    /// Their sum at cost is zero in each commodity.
    public let postings: [Posting]

    /// The origin, from which only one transaction can be posted; `nil` for none.
    public private(set) var origin: Fingerprint?

    /// The identifier of the transaction that this transaction reverses; `nil` for none.
    public let reverses: UUID?

    /// The identifier of the transaction that reverses this transaction; `nil` for none.
    public private(set) var reversedBy: UUID?

    /// Posts `draft`, and raises ``TransactionPosted``.
    ///
    /// - Throws: `PostingRefusal` if the draft isn't a valid transaction, mostly because it isn't balanced, or if an
    ///   amount has too many digits for totals.
    public init(posting draft: TransactionDraft, id: UUID = .version7(), origin: Fingerprint? = nil) throws {
        self.id = id
        date = draft.date
        status = draft.status
        code = draft.code
        description = draft.description
        comment = draft.comment
        postings = try Self.postings(of: draft)
        self.origin = origin
        reverses = nil
        raiseEvent(TransactionPosted(transaction: id, date: date, postings: postings, reverses: nil))
    }

    /// Posts the reversal of `original`, and raises ``TransactionPosted``.
    ///
    /// The postings aren't balanced again, because the opposite of a balanced transaction is balanced.
    private init(of original: Transaction, on date: BookDate, comment: String, id: UUID) {
        self.id = id
        self.date = date
        status = .unmarked
        code = original.code
        description = "Reversal of \(original.date) \(original.description)".trimmingCharacters(in: .whitespaces)
        self.comment = comment
        postings = original.postings.map {
            Posting(account: $0.account, amount: $0.amount.negated, cost: $0.cost)
        }
        origin = nil
        reverses = original.id
        raiseEvent(TransactionPosted(transaction: id, date: date, postings: postings, reverses: original.id))
    }

    /// Returns the postings of `draft` with all amounts.
    ///
    /// - Throws: `PostingRefusal` as ``init(posting:id:origin:)`` does.
    static func postings(of draft: TransactionDraft) throws -> [Posting] {
        let postings = try draft.balanced()
        for posting in postings {
            let digits = DigitRange(of: posting.amount.quantity)
            if !digits.fits { throw PostingRefusal.beyondTotals(posting.amount, on: posting.account, needing: digits) }
        }
        return postings
    }

    /// Returns a new transaction with the opposite amounts, and links both.
    ///
    /// - Throws: ``ReversalRefusal`` if this transaction is already reversed, or if `date` is before its date.
    func reverse(on date: BookDate, comment: String, as id: UUID) throws -> Transaction {
        if let reversedBy { throw ReversalRefusal.alreadyReversed(self.id, by: reversedBy) }
        if date < self.date { throw ReversalRefusal.beforeOriginal(self.id, of: self.date, on: date) }
        let reversal = Transaction(of: self, on: date, comment: comment, id: id)
        reversedBy = id
        return reversal
    }
}

extension Transaction {
    /// Returns a new transaction with the opposite amounts on the same date, and gives up the origin, so that another
    /// transaction can be posted from it.
    ///
    /// - Throws: ``ReversalRefusal`` if this transaction is already reversed.
    func withdraw(comment: String) throws -> Transaction {
        let reversal = try reverse(on: date, comment: comment, as: .version7())
        origin = nil
        return reversal
    }
}

extension EntityIndex<Transaction> {
    /// The date.
    public static var date: Self { EntityIndex("date") { $0.date.description } }

    /// The accounts of the postings.
    public static var account: Self { EntityIndex("account", each: { $0.postings.map(\.account) }) }

    /// The origin.
    ///
    /// It is unique: two writers can't post from one origin.
    public static var origin: Self { EntityIndex("origin", unique: true) { $0.origin } }
}

extension Transaction {
    /// Number of origins in one read.
    private static let stride = 512

    /// Returns the transactions that were posted from `origins`.
    ///
    /// - Throws: `StoreError`.
    static func posted(from origins: [Fingerprint], in context: EntityContext) async throws -> [Transaction] {
        var posted: [Transaction] = []
        for start in Swift.stride(from: 0, to: origins.count, by: stride) {
            let some = Array(origins[start..<min(start + stride, origins.count)])
            posted += try await context.fetch(Transaction.self, where: [.isOneOf(.origin, some)])
        }
        return posted
    }

    /// Returns the elements of `origins` from which a transaction was posted.
    static func known(among origins: [JournalOrigin], in context: EntityContext) async throws -> Set<JournalOrigin> {
        let fingerprints = origins.map(\.fingerprint) + origins.compactMap(\.uncomposed)
        let transactions = try await context.fetch(Transaction.self, where: [.isOneOf(.origin, fingerprints)])
        let known = Set(transactions.compactMap(\.origin))
        return Set(
            origins.filter { known.contains($0.fingerprint) || $0.uncomposed.map { known.contains($0) } ?? false }
        )
    }
}
