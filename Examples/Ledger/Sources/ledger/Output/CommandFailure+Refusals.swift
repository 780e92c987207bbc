// SPDX-License-Identifier: Apache-2.0

import LedgerApplication
import LedgerBooks
import LedgerJournal

extension CommandFailure {
    private static let most = 20

    /// Creates the message for all transactions of `journals` that no ledger accepts, each with its text; `nil` if there are none.
    init?(refusing journals: [Journal]) {
        let refused = journals.flatMap(\.refusedEntries)
        if refused.isEmpty { return nil }
        var parts = refused.prefix(Self.most).map { entry, refusal in
            let lines = Report.lines(of: entry.transaction, terminal: .plain).map { "    \($0)" }
            return (["\(refusal.journal):\(refusal.line): \(refusal.refusal.message)"] + lines).joined(separator: "\n")
        }
        if refused.count > Self.most {
            parts.append("\(Report.count(refused.count - Self.most, "further transaction")) can't be posted.")
        }
        self.init((parts + ["Nothing was imported."]).joined(separator: "\n\n"))
    }
}
