// SPDX-License-Identifier: Apache-2.0

import LedgerApplication
import LedgerBooks

/// The sums of accounts with a column for each interval.
struct ColumnTable {
    private struct Column {
        let name: String
        let lines: [AccountLine]
        let total: [Amount]
        let amounts: [String: [Amount]]

        init(_ name: String, _ lines: [AccountLine], total: [Amount]) {
            self.name = name
            self.lines = lines
            self.total = total
            amounts = Dictionary(lines.map { ($0.account, $0.amounts) }) { first, _ in first }
        }
    }

    private let columns: [Column]

    /// All accounts, with the sums of their amounts in all columns.
    private let accounts: [AccountLine]

    init(_ columns: [GetBalanceColumns.Column], by interval: BookInterval, isTree: Bool) throws {
        let all = columns.map { column in column.balances.map { AccountLine($0.account, [$0.amount]) } }
        self.columns = try zip(columns, all).map { column, flat in
            Column(
                interval.name(containing: column.begin),
                isTree ? try AccountLine.tree(flat) : try AccountLine.merged(flat),
                total: try AccountLine.total(of: flat))
        }
        let flat = all.flatMap(\.self)
        accounts = isTree ? try AccountLine.tree(flat) : try AccountLine.merged(flat)
    }

    var isEmpty: Bool { accounts.isEmpty }

    /// Returns the table with a header and with the sums below it; no lines without accounts.
    func lines(_ style: AmountStyle, terminal: TerminalStyle) -> [String] {
        if isEmpty { return [] }
        let texts = columns.map { column in
            AmountColumn(column.lines.flatMap(\.amounts) + column.total, style, terminal: terminal)
        }
        let labels = accounts.map { Report.printable($0.label) }
        let width = labels.map(\.count).max() ?? 0
        let widths = zip(columns, texts).map { max($0.name.count, $1.width, 1) }

        func line(_ label: String, _ cells: [(text: String, width: Int)]) -> String {
            let padded = zip(cells, widths).map { cell, width in
                String(repeating: " ", count: max(0, width - cell.width)) + cell.text
            }
            let space = String(repeating: " ", count: max(0, width - label.count))
            return Report.trimmed(([label + space] + padded).joined(separator: "  "))
        }

        /// Returns a line for each commodity.
        func lines(_ label: String, _ amounts: [[Amount]]) -> [String] {
            let commodities = Set(amounts.flatMap { $0.map(\.commodity) }).sorted()
            return (commodities.isEmpty ? [""] : commodities).map { commodity in
                line(
                    label,
                    zip(amounts, texts).map { amounts, column in
                        let amount = amounts.first { $0.commodity == commodity }
                        return (amount.map { column.text(of: $0) } ?? column.zero, max(1, column.width))
                    })
            }
        }

        let header = line("", columns.map { ($0.name, $0.name.count) })
        let rows = zip(accounts, labels).flatMap { account, label in
            lines(label, columns.map { $0.amounts[account.account] ?? [] })
        }
        let rule = line(String(repeating: "-", count: width), widths.map { (String(repeating: "-", count: $0), $0) })
        return [terminal.heading(header)] + rows + [rule] + lines("", columns.map(\.total))
    }

    /// Returns the rows in CSV and JSON: the account, the interval, the commodity, and the amount.
    func rows(_ style: AmountStyle) -> [[TableCell]] {
        columns.flatMap { column in
            Report.rows(column.lines, style).map { [$0[0], .text(column.name)] + $0.dropFirst() }
        }
    }
}
