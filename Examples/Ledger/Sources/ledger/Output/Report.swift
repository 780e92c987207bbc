// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerApplication
import LedgerBooks

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

    /// Returns a number with its noun, which may have a part with "without" after it.
    static func count(_ number: Int, _ noun: String) -> String {
        if number == 1 { return "1 \(noun)" }
        let end = noun.firstRange(of: " without ")?.lowerBound ?? noun.endIndex
        return "\(number) \(noun[..<end])s\(noun[end...])"
    }

    /// Returns `text` without characters that could control the terminal or change the direction of text.
    static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return (properties.generalCategory == .control && scalar != "\n") || properties.isBidiControl
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

/// Prints a remark on the standard error, which isn't part of the answer.
func printRemark(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

extension Report {
    /// Returns words that a user has typed, for a remark that nothing has them: a misspelled word isn't taken for an answer.
    static func quoted(_ words: [String], _ conjunction: String) -> String {
        words.map { "'\(printable($0))'" }.joined(separator: " \(conjunction) ")
    }
}
