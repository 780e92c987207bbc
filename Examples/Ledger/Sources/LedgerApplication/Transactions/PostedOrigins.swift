// SPDX-License-Identifier: Apache-2.0

import Headrace
import LedgerBooks

/// The origins of a journal from which transactions were posted before.
struct PostedOrigins {
    /// Number of origins in one read.
    private static let stride = 512

    private let context: EntityContext

    /// The origins of all transactions of the journal, with their amounts.
    private let journal: Set<Fingerprint>

    private var posted: Set<JournalOrigin> = []

    /// The records of transactions with balance assignments.
    private var assigned: [Fingerprint: AssignedTransaction] = [:]

    /// Creates an empty set for the unit of work of `context`.
    ///
    /// `journal` has the origins of all transactions of the journal. It may be empty if none has a balance assignment.
    init(of journal: Set<Fingerprint>, in context: EntityContext) {
        self.journal = journal
        self.context = context
    }

    /// Adds those of `origins` from which transactions were posted.
    ///
    /// - Throws: `StoreError`.
    mutating func read(_ origins: [JournalOrigin]) async throws {
        for start in Swift.stride(from: 0, to: origins.count, by: Self.stride) {
            let origins = Array(origins[start..<min(start + Self.stride, origins.count)])
            posted.formUnion(try await Transaction.known(among: origins, in: context))
            let assignments = origins.compactMap(\.assignment)
            if assignments.isEmpty { continue }
            for record in try await context.find(AssignedTransaction.self, ids: assignments) {
                assigned[record.id] = record
            }
        }
    }

    /// Number of transactions from `origins`, which were read, that were posted before.
    func count(of origins: [JournalOrigin]) -> Int {
        origins.count { origin in posted.contains(origin) || origin.assignment.map { assigned[$0] != nil } ?? false }
    }

    /// For each of `origins`, which were read, the fingerprints by which its transaction is known.
    ///
    /// They include that of the stored transaction, if an earlier import has posted it from another origin.
    func fingerprints(of origins: [JournalOrigin]) -> [[Fingerprint]] {
        origins.map { origin in
            guard origin.uncomposed != nil || origin.assignment != nil else { return [origin.fingerprint] }
            let record = origin.assignment.flatMap { assigned[$0] }
            return [origin.fingerprint, origin.uncomposed, origin.assignment, record?.origin].compactMap(\.self)
        }
    }

    /// Returns whether `draft` must be posted from `origin`, and records its balance assignments.
    ///
    /// A transaction that an earlier version has posted is recorded, too.
    ///
    /// - Throws: The errors of ``isNew(_:from:)``.
    func claim(_ draft: TransactionDraft, from origin: JournalOrigin) async throws -> Bool {
        let isNew = try await isNew(draft, from: origin)
        guard let assignment = origin.assignment else { return isNew }
        if let record = assigned[assignment] {
            if isAnother(record, than: origin) { record.move(to: origin.fingerprint) }
        } else {
            context.insert(AssignedTransaction(assignment, origin: origin.fingerprint))
        }
        return isNew
    }

    /// Returns whether `draft` must be posted from `origin`.
    ///
    /// - Throws: `PostingRefusal` if the transaction was posted with other amounts that followed from balances, or if
    ///   it isn't balanced; `StoreError`.
    func isNew(_ draft: TransactionDraft, from origin: JournalOrigin) async throws -> Bool {
        let isPosted = posted.contains(origin)
        guard let assignment = origin.assignment, let record = assigned[assignment] else { return !isPosted }
        if record.origin == origin.fingerprint || isAnother(record, than: origin) { return false }

        let transactions = try await context.fetch(Transaction.self, where: [.equals(.origin, record.origin)])
        let before = transactions.first?.postings ?? []
        let now = try draft.balanced()
        if before == now {
            // With the same texts, only the number among the transactions of this content has changed. All of these
            // are alike, so the journal has a new one if this number is new.
            if zip(before, now).allSatisfy({ $0.amount.description == $1.amount.description }) { return !isPosted }
            // The amounts have other zeros after the point. If the origin is posted, it is that of another transaction,
            // whose own origin would be new.
            if !isPosted { return false }
        }
        throw PostingRefusal.changedAssignment(of: before, to: now)
    }

    /// Whether `record` is about another transaction of the journal than the posted one from `origin`.
    ///
    /// Equal assignments are numbered. If the amounts of the first are written out, the second gets its number and finds
    /// the record of the first. Then both are posted, and both are still in the journal.
    private func isAnother(_ record: AssignedTransaction, than origin: JournalOrigin) -> Bool {
        record.origin != origin.fingerprint && posted.contains(origin) && journal.contains(record.origin)
    }
}
