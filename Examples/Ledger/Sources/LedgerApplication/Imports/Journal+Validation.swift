// SPDX-License-Identifier: Apache-2.0

import LedgerBooks
public import LedgerJournal

extension Journal {
    /// Checks each transaction without a store.
    ///
    /// - Throws: ``ImportRefusal`` for the first transaction that an import refuses in each ledger.
    public func requireValidTransactions() throws {
        for entry in entries {
            do {
                _ = try Transaction.postings(of: entry.transaction)
            } catch let refusal as PostingRefusal {
                throw ImportRefusal(journal: entry.file ?? file, line: entry.line, refusal: refusal)
            }
        }
    }
}
