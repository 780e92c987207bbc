//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import LedgerBooks

/// Makes the origins of the transactions of a journal, in the order of the journal.
///
/// An origin identifies the journal, the content of the transaction, and its number among the transactions of the
/// journal with the same content. So two equal transactions have different origins, and a later import recognizes both.
/// Status marks and comments are ignored, because they change while the transaction stays the same. The Unicode
/// normalization of names and texts is ignored, too.
public struct JournalOrigins: Sendable {
    private let journal: String
    private var occurrences: [Fingerprint: Int] = [:]

    /// Starts before the first transaction of the journal with this name.
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
