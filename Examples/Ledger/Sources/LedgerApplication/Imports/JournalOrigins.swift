//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import LedgerBooks

/// Gives the transactions of a journal their origins, in the order of the journal.
///
/// An origin stands for the journal, for what the transaction says, and for its number among those of the journal that
/// say the same: two equal ones are two, and one that was posted is known again. Marks and comments do not count: they
/// change while the transaction stays the same. The Unicode normalization of names and texts doesn't count, either.
public struct JournalOrigins: Sendable {
    private let journal: String
    private var occurrences: [Fingerprint: Int] = [:]

    /// Begins with the first transaction of the journal with this name.
    public init(of journal: String) {
        self.journal = journal
    }

    /// Returns the origin of the next transaction.
    public mutating func next(_ transaction: TransactionDraft) -> JournalOrigin {
        var fields = [journal, transaction.date.description, transaction.code, transaction.description]
        for posting in transaction.postings {
            fields += [posting.account, posting.amount?.description ?? ""]
            switch posting.cost {
            case .unit(let price): fields += ["@", price.description]
            case .total(let price): fields += ["@@", price.description]
            case nil: break
            }
        }
        if fields.allSatisfy(\.isComposed) { return JournalOrigin(fingerprint(of: fields)) }
        return JournalOrigin(fingerprint(of: fields.map(\.composed)), uncomposed: fingerprint(of: fields))
    }

    private mutating func fingerprint(of fields: [String]) -> Fingerprint {
        let content = Fingerprint(fields)
        let occurrence = occurrences[content, default: 0] + 1
        occurrences[content] = occurrence
        return Fingerprint(fields + [occurrence.description])
    }
}
