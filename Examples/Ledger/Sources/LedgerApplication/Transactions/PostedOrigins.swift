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

    /// Returns whether a transaction must be posted from `origin`, and records its balance assignments.
    ///
    /// A transaction that an earlier version has posted is recorded, too.
    ///
    /// - Throws: `PostingRefusal` if the transaction was posted with other amounts that followed from balances;
    ///   `StoreError`.
    func claim(_ origin: JournalOrigin) async throws -> Bool {
        let isPosted = posted.contains(origin)
        guard let assignment = origin.assignment else { return !isPosted }
        if let record = assigned[assignment] {
            if isPosted { return false }
            let transactions = try await context.fetch(Transaction.self, where: [.equals(.origin, record.origin)])
            throw PostingRefusal.changedAssignment(of: transactions.first?.postings ?? [])
        }
        context.insert(AssignedTransaction(assignment, origin: origin.fingerprint))
        return !isPosted
    }
}
