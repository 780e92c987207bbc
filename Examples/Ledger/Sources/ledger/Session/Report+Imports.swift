// SPDX-License-Identifier: Apache-2.0

import LedgerApplication
import LedgerJournal

extension Report {
    /// Returns the outcome of an import as one line.
    static func line(
        of file: JournalFile, outcome: ImportJournal.Outcome, missing: MissingTransactions
    ) -> String {
        var line = "\(printable(file.name)): \(count(outcome.posted, "transaction")) posted"
        if let twin = outcome.sameAs {
            line += ", as '\(printable(twin))' has the same content and was imported before"
        } else if outcome.known > 0 {
            line += ", \(outcome.known) posted before"
        }
        if outcome.missing > 0 {
            line += ", \(outcome.missing) no longer in the journal and "
            line += missing == .replace ? "reversed" : "left in the books"
        }
        if let earlier = outcome.earlierPath { line += "; renamed from '\(printable(earlier))'" }
        let skipped = file.journal.skippedDirectives.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !skipped.isEmpty { line += "; ignored directives: \(skipped.joined(separator: ", "))" }
        let leftOut = file.journal.leftOut.sorted { $0.key < $1.key }.map { count($0.value, $0.key) }
        if !leftOut.isEmpty { line += "; left out: \(leftOut.joined(separator: ", "))" }
        return line
    }
}
