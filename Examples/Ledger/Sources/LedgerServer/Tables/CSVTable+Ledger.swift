// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Hummingbird
import LedgerApplication
import LedgerBooks
import NIOCore

extension CSVTable {
    /// Creates a table of balances.
    init(_ balances: [GetBalances.Balance]) {
        self.init(["account", "commodity", "amount"])
        for balance in balances { append([.text(balance.account)] + Self.cells(balance.amount)) }
    }

    /// Creates a table of an income statement.
    init(_ statement: IncomeStatement) {
        self.init(["section", "account", "commodity", "amount"])
        append("income", statement.income)
        append("expenses", statement.expenses)
        append("net", statement.net)
    }

    /// Creates a table of a balance sheet.
    init(_ sheet: BalanceSheet) {
        self.init(["section", "account", "commodity", "amount"])
        append("assets", sheet.assets)
        append("liabilities", sheet.liabilities)
        append("equity", sheet.equity)
        append("net", sheet.net)
    }

    private mutating func append(_ name: String, _ section: ReportSection) {
        for line in section.lines {
            for amount in line.amounts { append([.text(name), .text(line.account)] + Self.cells(amount)) }
        }
    }

    private mutating func append(_ name: String, _ amounts: [Amount]) {
        for amount in amounts { append([.text(name), .text("")] + Self.cells(amount)) }
    }

    /// Adds one row for each posting.
    mutating func append(_ page: GetTransactions.Page) {
        for row in page.transactions.flatMap({ $0.rows() }) { append(row) }
    }

    /// Adds one row for each posting to the account.
    ///
    /// - Throws: `QuantityError` if a balance has too many digits.
    mutating func append(_ page: GetRegisterPage.Page) throws {
        for entry in try page.lines.flatMap({ try $0.entries() }) { append(entry.row()) }
    }

    private static func cells(_ amount: Amount) -> [Cell] { [.text(amount.commodity), .number(amount.quantity)] }

    /// Returns a response with a table of several pages, which are read while it is written.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - header: The names of the columns.
    ///   - first: The first page.
    ///   - append: Adds the rows of a page, and returns the next page.
    /// - Returns: The response.
    static func response<Page: Sendable>(
        _ name: String,
        _ header: [String],
        _ first: Page,
        append: @escaping @Sendable (Page, inout CSVTable) async throws -> Page?
    ) -> Response {
        Response(
            status: .ok,
            headers: headers(name),
            body: ResponseBody { writer in
                var table = CSVTable(header)
                var page = Optional(first)
                while let current = page {
                    page = try await append(current, &table)
                    try await writer.write(ByteBuffer(string: table.takeText()))
                }
                try await writer.finish(nil)
            }
        )
    }
}
#endif
