// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
public import LedgerJournal

/// Makes the origins of the transactions of a journal, in the order of the journal.
///
/// An origin identifies the journal, the content of the transaction, and its number among the transactions of the
/// journal with the same content. So two equal transactions have different origins, and a later import recognizes both.
/// Status marks and comments are ignored, because they change while the transaction stays the same. The Unicode
/// normalization of names and texts is ignored, too.
///
/// Amounts that follow from balances are part of the content, so the origin stays the same if they are written out later.
/// But they change with the transactions before. ``JournalOrigin/assignment`` identifies the transaction without them.
public struct JournalOrigins: Sendable {
    private let journal: String
    private var occurrences: [Fingerprint: Int] = [:]

    /// Starts before the first transaction of the journal with this name.
    public init(of journal: String) {
        self.journal = journal
    }

    /// Returns the origin of the next transaction.
    public mutating func next(_ entry: Journal.Entry) -> JournalOrigin {
        let fields = fields(of: entry, assignments: [])
        let assignments = entry.assignments
        let written = assignments.isEmpty ? nil : self.fields(of: entry, assignments: assignments).map(\.composed)
        let assignment = written.map { fingerprint(of: $0) }
        if fields.allSatisfy(\.isComposed) { return JournalOrigin(fingerprint(of: fields), assignment: assignment) }
        return JournalOrigin(
            fingerprint(of: fields.map(\.composed)),
            uncomposed: fingerprint(of: fields),
            assignment: assignment
        )
    }

    /// The texts that identify a transaction, with the claimed balances in place of the amounts of `assignments`.
    private func fields(of entry: Journal.Entry, assignments: [Journal.Assignment]) -> [String] {
        let transaction = entry.transaction
        var fields = [journal, transaction.date.description, transaction.code, transaction.description]
        var assignments = assignments[...]
        for (index, posting) in transaction.postings.enumerated() {
            if let assignment = assignments.first, assignment.postings.contains(index) {
                guard index == assignment.postings.upperBound - 1 else { continue }
                fields += [posting.account, assignment.claim]
                assignments.removeFirst()
                continue
            }
            fields += [posting.account, posting.amount?.description ?? ""]
            switch posting.cost {
            case .unit(let price): fields += ["@", price.description]
            case .total(let price): fields += ["@@", price.description]
            case nil: break
            }
        }
        return fields
    }

    private mutating func fingerprint(of fields: [String]) -> Fingerprint {
        let content = Fingerprint(fields)
        let occurrence = occurrences[content, default: 0] + 1
        occurrences[content] = occurrence
        return Fingerprint(fields + [occurrence.description])
    }
}
