// SPDX-License-Identifier: Apache-2.0

#if Tool
/// Rows of texts in columns, for a terminal.
///
/// A column is left out if all of its cells are empty.
struct TextTable {
    private let header: [String]
    private let rows: [[String]]

    /// Creates a table; each row has as many cells as the header.
    init(_ header: [String], _ rows: [[String]]) {
        let used = header.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        self.header = used.map { header[$0] }
        self.rows = rows.map { row in used.map { row[$0] } }
    }

    /// The header, and one line for each row.
    var lines: [String] {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

extension String {
    /// The first line, with at most 60 characters.
    var shortened: String {
        let line = split(maxSplits: 1, whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return line.count > 60 ? line.prefix(59) + "…" : line
    }
}
#endif
