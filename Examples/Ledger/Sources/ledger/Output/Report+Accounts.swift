// SPDX-License-Identifier: Apache-2.0

import LedgerApplication
import LedgerBooks

extension Report {
    /// Returns the lines of a table of accounts, with the sum below it if there are several lines.
    static func table(
        _ lines: [AccountLine],
        total: [Amount],
        in column: AmountColumn,
        alwaysWithTotal: Bool = false
    ) -> [String] {
        let rows = lines.flatMap { line in
            line.amounts.isEmpty
                ? ["\(column.zero)  \(printable(line.label))"]
                : line.amounts.map { "\(column.text(of: $0))  \(printable(line.label))" }
        }
        if rows.count < 2 && !alwaysWithTotal { return rows }
        return rows + [column.rule] + (total.isEmpty ? [column.zero] : total.map { column.text(of: $0) }).map(trimmed)
    }

    /// Returns the rows of accounts in CSV and JSON: the account, the commodity, and the amount.
    static func rows(_ lines: [AccountLine], _ style: AmountStyle) -> [[TableCell]] {
        lines.flatMap { line in
            line.amounts.map { [.text(line.account), .text($0.commodity), .number(style.quantity(of: $0))] }
        }
    }

    /// Returns the lines of a report with sections, each with its sum, and of the `net` amounts.
    static func statement(
        _ title: String,
        _ sections: [(name: String, section: ReportSection)],
        net: [Amount],
        isTree: Bool,
        _ style: AmountStyle,
        terminal: TerminalStyle
    ) throws -> [String] {
        let tables = try sections.map { name, section in
            (name, try lines(of: section, isTree: isTree), section.total)
        }
        let amounts = tables.flatMap { $0.1.flatMap(\.amounts) + $0.2 } + net
        let column = AmountColumn(amounts, style, terminal: terminal)
        var result = [terminal.heading(title)]
        for (name, lines, total) in tables {
            result += ["", terminal.heading(name)]
            result += table(lines, total: total, in: column, alwaysWithTotal: true)
        }
        return result + ["", terminal.heading("Net")]
            + (net.isEmpty ? [column.zero] : net.map { column.text(of: $0) }).map(trimmed)
    }

    /// Returns the rows of a report in CSV and JSON: the section, the account, the commodity, and the amount.
    ///
    /// The rows of the net amounts have no account.
    static func rows(
        _ sections: [(name: String, section: ReportSection)],
        net: [Amount],
        isTree: Bool,
        _ style: AmountStyle
    ) throws -> [[TableCell]] {
        try sections.flatMap { name, section in
            rows(try lines(of: section, isTree: isTree), style).map { [.text(name.lowercased())] + $0 }
        } + rows([AccountLine("", net)], style).map { [.text("net")] + $0 }
    }

    private static func lines(of section: ReportSection, isTree: Bool) throws -> [AccountLine] {
        let lines = section.lines.map { AccountLine($0.account, $0.amounts) }
        return isTree ? try AccountLine.tree(lines) : lines
    }

    /// Returns the text of a period for a title.
    static func title(_ name: String, of period: BookPeriod) -> String {
        switch (period.begin, period.end) {
        case (nil, nil): name
        case (let begin?, nil): "\(name) from \(begin)"
        case (nil, let end?): "\(name) before \(end)"
        case (let begin?, let end?): "\(name) from \(begin), before \(end)"
        }
    }
}
