//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Headrace
import LedgerBooks

/// The origins of a journal from which transactions were posted before.
struct PostedOrigins {
    private let context: EntityContext
    private var posted: Set<JournalOrigin> = []

    /// The records of transactions with balance assignments.
    private var assigned: [Fingerprint: AssignedTransaction] = [:]

    /// Creates an empty set for the unit of work of `context`.
    init(in context: EntityContext) {
        self.context = context
    }

    /// Adds those of `origins` from which transactions were posted.
    ///
    /// - Throws: `StoreError`.
    mutating func read(_ origins: [JournalOrigin]) async throws {
        posted.formUnion(try await Transaction.known(among: origins, in: context))
        let assignments = origins.compactMap(\.assignment)
        if assignments.isEmpty { return }
        for record in try await context.find(AssignedTransaction.self, ids: assignments) {
            assigned[record.id] = record
        }
    }

    /// Returns whether `draft` must be posted from `origin`, and records its balance assignments.
    ///
    /// A transaction that an earlier version has posted is recorded, too.
    ///
    /// - Throws: The errors of ``isNew(_:from:)``.
    func claim(_ draft: TransactionDraft, from origin: JournalOrigin) async throws -> Bool {
        let isNew = try await isNew(draft, from: origin)
        if let assignment = origin.assignment, assigned[assignment] == nil {
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
        if record.origin == origin.fingerprint { return false }

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
}
