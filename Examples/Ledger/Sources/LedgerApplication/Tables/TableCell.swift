// SPDX-License-Identifier: Apache-2.0

public import LedgerBooks

/// A cell of a table in the format CSV.
public enum TableCell: Sendable, Hashable {
    /// A text.
    case text(String)

    /// A number.
    case number(Quantity)

    /// The characters that begin a formula, also in full width.
    private static let formulaMarks = Array("=+-@\t\r\n\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars)

    /// The characters that a cell can have in quotes only.
    private static let specials = Array(",\"\r\n".unicodeScalars)

    /// The content.
    public var plain: String {
        switch self {
        case .text(let text): text
        case .number(let quantity): quantity.description
        }
    }

    /// The cell as it is in a file.
    ///
    /// A text that a spreadsheet would take for a formula has an apostrophe in front.
    public var encoded: String {
        switch self {
        case .number(let quantity): return quantity.description
        case .text(let text):
            let isFormula = text.unicodeScalars.prefix(1).contains { Self.formulaMarks.contains($0) }
            let safe = isFormula ? "'" + text : text
            let needsQuotes = safe.unicodeScalars.contains { Self.specials.contains($0) }
            return needsQuotes ? "\"\(safe.replacing("\"", with: "\"\""))\"" : safe
        }
    }
}
