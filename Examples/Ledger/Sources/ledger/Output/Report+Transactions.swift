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
        var draft = TransactionDraft(
            date: transaction.date, status: transaction.status, code: transaction.code,
            description: transaction.description)
        draft.postings = transaction.postings.map {
            PostingDraft(account: $0.account, amount: $0.amount, cost: $0.cost)
        }
        var comments = ["transaction: \(transaction.id)"]
        if let original = transaction.reverses { comments.append("reverses: \(original)") }
        if let reversal = transaction.reversedBy { comments.append("reversed-by: \(reversal)") }
        if !transaction.comment.isEmpty {
            comments += transaction.comment.split(separator: "\n").map { line(String($0)) }
        }
        return lines(of: draft, comments, terminal: terminal) + [""]
    }

    /// Returns a transaction in the syntax of journals, with other comments than its own.
    static func lines(
        of transaction: TransactionDraft, _ comments: [String] = [], terminal: TerminalStyle
    ) -> [String] {
        let mark =
            switch transaction.status {
            case .unmarked: ""
            case .pending: "! "
            case .cleared: "* "
            }
        let code = transaction.code.isEmpty ? "" : "(\(transaction.code)) "
        let title = line("\(transaction.date) \(mark)\(code)\(transaction.description)")
        let names = transaction.postings.map { printable($0.account) }
        let width = names.map(\.count).max() ?? 0
        let column = AmountColumn(transaction.postings.compactMap(\.amount), AmountStyle([:]), terminal: terminal)
        let postings = zip(transaction.postings, names).map { posting, name in
            guard let amount = posting.amount else { return "    \(name)" }
            let space = String(repeating: " ", count: width - name.count)
            let cost = posting.cost.map { " " + printable(text(of: $0)) } ?? ""
            return trimmed("    \(name)\(space)  \(column.text(of: amount))\(cost)")
        }
        return [terminal.heading(title)] + comments.map { terminal.secondary("    ; \($0)") } + postings
    }

    private static func text(of cost: Cost) -> String {
        switch cost {
        case .unit(let price): "@ \(price)"
        case .total(let price): "@@ \(price)"
        }
    }

    /// Returns `text` as a single line.
    private static func line(_ text: String) -> String { printable(text).replacing("\n", with: " ") }
}
