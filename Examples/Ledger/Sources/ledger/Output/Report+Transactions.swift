// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerApplication
import LedgerBooks

extension Report {
    /// Returns a transaction in the syntax of journals, with an empty line at its end.
    ///
    /// The identifiers are tags in comments. Amounts keep their digits, because an import checks the sum at the precision of the
    /// written amounts.
    static func lines(of transaction: GetTransaction.Posted, terminal: TerminalStyle) -> [String] {
        let mark =
            switch transaction.status {
            case .unmarked: ""
            case .pending: "! "
            case .cleared: "* "
            }
        let code = transaction.code.isEmpty ? "" : "(\(transaction.code)) "
        let title = line("\(transaction.date) \(mark)\(code)\(transaction.description)")
        var comments = ["transaction: \(transaction.id)"]
        if let original = transaction.reverses { comments.append("reverses: \(original)") }
        if let reversal = transaction.reversedBy { comments.append("reversed-by: \(reversal)") }
        if !transaction.comment.isEmpty {
            comments += transaction.comment.split(separator: "\n").map { line(String($0)) }
        }
        let names = transaction.postings.map { printable($0.account) }
        let width = names.map(\.count).max() ?? 0
        let column = AmountColumn(transaction.postings.map(\.amount), AmountStyle([:]), terminal: terminal)
        let postings = zip(transaction.postings, names).map { posting, name in
            let space = String(repeating: " ", count: width - name.count)
            let cost = cost(of: posting).map { " " + printable($0) } ?? ""
            return trimmed("    \(name)\(space)  \(column.text(of: posting.amount))\(cost)")
        }
        return [terminal.heading(title)] + comments.map { terminal.secondary("    ; \($0)") } + postings + [""]
    }

    private static func cost(of posting: Posting) -> String? {
        switch posting.cost {
        case .unit(let price): "@ \(price)"
        case .total(let price): "@@ \(price)"
        case nil: nil
        }
    }

    /// Returns `text` as a single line.
    private static func line(_ text: String) -> String { printable(text).replacing("\n", with: " ") }
}
