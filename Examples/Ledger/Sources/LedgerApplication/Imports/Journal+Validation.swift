// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
public import LedgerJournal

extension Journal {
    /// The transactions that an import refuses in each ledger, with the reasons.
    public var refusedEntries: [(entry: Entry, refusal: ImportRefusal)] {
        entries.compactMap { entry in
            let result = Result { try Transaction.postings(of: entry.transaction) }
            guard case .failure(let error) = result, let refusal = error as? PostingRefusal else { return nil }
            return (entry, ImportRefusal(journal: entry.file ?? file, line: entry.line, refusal: refusal))
        }
    }
}
