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
    /// Returns the balances in two columns, with right-aligned amounts.
    static func table(_ balances: [GetBalances.Balance], _ style: AmountStyle) -> [String] {
        let amounts = balances.map { printable(style.text(of: $0.amount)) }
        let width = amounts.map(\.count).max() ?? 0
        return zip(balances, amounts).map { balance, amount in
            "\(padded(amount, to: width))  \(printable(balance.account))"
        }
    }

    /// Returns the balances as comma-separated values with a header.
    ///
    /// Source: RFC 4180, <https://www.rfc-editor.org/rfc/rfc4180>.
    static func csv(_ balances: [GetBalances.Balance], _ style: AmountStyle) -> [String] {
        ["account,commodity,amount"]
            + balances.map {
                "\(field($0.account)),\(field($0.amount.commodity)),\(style.quantity(of: $0.amount))"
            }
    }

    /// Returns the balances as a JSON array.
    ///
    /// Amounts are text, because JSON numbers may lose digits.
    static func json(_ balances: [GetBalances.Balance], _ style: AmountStyle) throws -> String {
        struct Row: Encodable {
            let account: String
            let commodity: String
            let amount: String
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let rows = balances.map {
            Row(account: $0.account, commodity: $0.amount.commodity, amount: style.quantity(of: $0.amount).description)
        }
        return String(decoding: try encoder.encode(rows), as: UTF8.self)
    }

    /// Returns the register, one line for each posting.
    static func register(_ entries: [GetRegister.Entry], _ style: AmountStyle) -> [String] {
        let descriptions = entries.map { String(printable($0.description).prefix(32)) }
        let accounts = entries.map { printable($0.account) }
        let changes = entries.map(\.amount)
        let sums = entries.map { Amount($0.total, $0.amount.commodity) }
        let amounts = changes.map { printable(style.text(of: $0)) }
        let totals = sums.map { printable(style.text(of: $0)) }
        let widths = [descriptions, accounts, amounts, totals].map { $0.map(\.count).max() ?? 0 }
        return entries.indices.map { index in
            [
                entries[index].date.description,
                descriptions[index] + String(repeating: " ", count: widths[0] - descriptions[index].count),
                accounts[index] + String(repeating: " ", count: widths[1] - accounts[index].count),
                padded(amounts[index], to: widths[2]),
                padded(totals[index], to: widths[3]),
            ].joined(separator: "  ")
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

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: width - text.count) + text
    }

    private static func field(_ text: String) -> String {
        guard text.contains(where: { "\",\r\n".contains($0) || $0.isNewline }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

/// Prints `lines`.
func printLines(_ lines: [String]) {
    for line in lines { print(line) }
}
