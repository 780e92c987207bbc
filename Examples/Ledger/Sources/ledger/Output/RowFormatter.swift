// SPDX-License-Identifier: Apache-2.0

import Foundation
import LedgerApplication

/// Formats rows as comma-separated values or as a JSON array of objects, in parts of any size.
///
/// Amounts are texts in JSON, because JSON numbers may lose digits. The rows are for programs: unlike the files of the server, they
/// don't protect a spreadsheet from texts that begin with `=`.
///
/// Source: RFC 4180, <https://www.rfc-editor.org/rfc/rfc4180>.
struct RowFormatter {
    private let columns: [String]
    private let isJSON: Bool
    private var isEmpty = true

    /// The last object, which has a comma at its end if another object follows.
    private var lastObject: [String] = []

    /// Creates a formatter; `format` is `csv` or `json`.
    init(_ format: FormatOption.Format, columns: [String]) {
        self.columns = columns
        isJSON = format == .json
    }

    /// Returns the lines of a list with only these rows.
    ///
    /// - Throws: `EncodingError`.
    func lines(ofAll rows: [[TableCell]]) throws -> [String] {
        var formatter = self
        return try formatter.lines(of: rows) + formatter.end()
    }

    /// Returns the lines of the next rows, or some of them.
    ///
    /// - Throws: `EncodingError`.
    mutating func lines(of rows: [[TableCell]]) throws -> [String] {
        var lines: [String] = []
        for row in rows {
            if isJSON {
                lines += isEmpty ? ["["] : objectBeforeAnother
                lastObject = try object(of: row)
            } else {
                lines += (isEmpty ? [header] : []) + [Self.line(row)]
            }
            isEmpty = false
        }
        return lines
    }

    /// Returns the remaining lines.
    func end() -> [String] {
        if isJSON { return (isEmpty ? ["["] : lastObject) + ["]"] }
        return isEmpty ? [header] : []
    }

    private var header: String { Self.line(columns.map(TableCell.text)) }

    private var objectBeforeAnother: [String] { lastObject.dropLast() + [(lastObject.last ?? "") + ","] }

    private func object(of row: [TableCell]) throws -> [String] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let object = Dictionary(zip(columns, row.map(\.plain))) { first, _ in first }
        let text = String(decoding: try encoder.encode(object), as: UTF8.self)
        return text.split(separator: "\n").map { "  \($0)" }
    }

    private static func line(_ cells: [TableCell]) -> String { cells.map(\.encoded).joined(separator: ",") }
}
