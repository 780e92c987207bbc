// SPDX-License-Identifier: Apache-2.0

#if Server
import HTTPTypes
import Hummingbird
import LedgerApplication
import NIOCore

/// Comma-separated values with a header, for spreadsheets.
///
/// Spreadsheets run a text as a formula if it begins with `=`, `+`, `-`, `@`, a tab, or a line break. Names and descriptions come from
/// journals of other people, so an apostrophe is put in front of such a text. A number stays as it is. The protection is for programs
/// that read the file as comma-separated values. A spreadsheet whose list separator is a semicolon can split a text at each `;` if it
/// opens the file without an import.
///
/// Sources: RFC 4180, <https://www.rfc-editor.org/rfc/rfc4180>; <https://owasp.org/www-community/attacks/CSV_Injection>.
struct CSVTable {
    /// A cell.
    typealias Cell = TableCell

    private var lines: String

    /// Creates a table without rows.
    init(_ header: [String]) {
        lines = Self.line(header)
    }

    /// Adds a row.
    mutating func append(_ cells: [Cell]) {
        lines += Self.line(cells.map(\.encoded))
    }

    /// Returns the text and removes it from the table.
    mutating func takeText() -> String {
        defer { lines = "" }
        return lines
    }

    private static func line(_ cells: [String]) -> String { cells.joined(separator: ",") + "\r\n" }

    /// The fields of a response with the table as the file `name`.
    static func headers(_ name: String) -> HTTPFields {
        var headers: HTTPFields = [
            .contentType: "text/csv; charset=utf-8; header=present", .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
        ]
        headers[.contentDisposition] = "attachment; filename=\"\(name).csv\""
        return headers
    }

    /// Returns a response with the table as the file `name`.
    func response(_ name: String) -> Response {
        Response(status: .ok, headers: Self.headers(name), body: ResponseBody(byteBuffer: ByteBuffer(string: lines)))
    }
}
#endif
