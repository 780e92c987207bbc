//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import LedgerApplication
import LedgerBooks
import LedgerJournal

/// Formats results as text, CSV, and JSON.
enum Report {
    /// Returns the register, one line for each posting.
    static func register(_ entries: [GetRegister.Entry], _ style: AmountStyle, terminal: TerminalStyle) -> [String] {
        let descriptions = entries.map { String(printable($0.description).prefix(32)) }
        let accounts = entries.map { printable($0.account) }
        let sums = entries.map { Amount($0.total, $0.amount.commodity) }
        let amounts = AmountColumn(entries.map(\.amount), style, terminal: terminal)
        let totals = AmountColumn(sums, style, terminal: terminal)
        let widths = [descriptions, accounts].map { $0.map(\.count).max() ?? 0 }
        return entries.indices.map { index in
            trimmed(
                [
                    entries[index].date.description,
                    descriptions[index] + String(repeating: " ", count: widths[0] - descriptions[index].count),
                    accounts[index] + String(repeating: " ", count: widths[1] - accounts[index].count),
                    amounts.text(of: entries[index].amount),
                    totals.text(of: sums[index]),
                ].joined(separator: "  ")
            )
        }
    }

    /// Returns the outcome of an import as one line.
    static func line(of file: JournalFile, outcome: GetImport.Outcome?) -> String {
        guard let outcome else { return "\(printable(file.name)): nothing to import" }
        var line = "\(printable(file.name)): \(count(outcome.posted, "transaction")) posted"
        if let twin = outcome.sameAs {
            line += ", as '\(printable(twin))' has the same content and was imported before"
        } else if outcome.known > 0 {
            line += ", \(outcome.known) posted before"
        }
        let skipped = file.journal.skippedDirectives.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !skipped.isEmpty { line += "; ignored directives: \(skipped.joined(separator: ", "))" }
        let leftOut = file.journal.leftOut.sorted { $0.key < $1.key }.map { count($0.value, $0.key) }
        if !leftOut.isEmpty { line += "; left out: \(leftOut.joined(separator: ", "))" }
        return line
    }

    /// Returns a number with its noun.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Returns `text` without control characters, which could control the terminal.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control && $0 != "\n" ? "\u{FFFD}" : $0 }
            )
        )
    }

    /// Returns `text` without spaces at its end.
    static func trimmed(_ text: String) -> String {
        var text = text
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// Prints `lines`.
func printLines(_ lines: [String]) {
    for line in lines { print(line) }
}
