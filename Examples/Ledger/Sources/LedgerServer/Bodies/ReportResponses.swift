// SPDX-License-Identifier: Apache-2.0

#if Server
import Headrace
import Hummingbird
import LedgerApplication
import LedgerBooks

/// A section of a report.
struct ReportSectionResponse: Codable, Equatable {
    let lines: [BalanceResponse]
    let total: [AmountResponse]

    init(_ section: ReportSection) {
        lines = section.lines.map { line in
            BalanceResponse(account: line.account, amounts: line.amounts.map { AmountResponse($0) })
        }
        total = section.total.map { AmountResponse($0) }
    }
}

/// The response to `GET /api/income-statement`.
struct IncomeStatementResponse: ResponseCodable, Equatable {
    let income: ReportSectionResponse
    let expenses: ReportSectionResponse
    let net: [AmountResponse]
    let untyped: [String]

    init(_ statement: IncomeStatement) {
        income = ReportSectionResponse(statement.income)
        expenses = ReportSectionResponse(statement.expenses)
        net = statement.net.map { AmountResponse($0) }
        untyped = statement.untyped
    }
}

/// The response to `GET /api/balance-sheet`.
struct BalanceSheetResponse: ResponseCodable, Equatable {
    let assets: ReportSectionResponse
    let liabilities: ReportSectionResponse
    let equity: ReportSectionResponse
    let net: [AmountResponse]
    let untyped: [String]

    init(_ sheet: BalanceSheet) {
        assets = ReportSectionResponse(sheet.assets)
        liabilities = ReportSectionResponse(sheet.liabilities)
        equity = ReportSectionResponse(sheet.equity)
        net = sheet.net.map { AmountResponse($0) }
        untyped = sheet.untyped
    }
}

/// The response to `GET /api/transactions`.
struct TransactionsResponse: ResponseCodable, Equatable {
    let transactions: [TransactionResponse]
    let next: String?

    init(_ page: GetTransactions.Page) {
        transactions = page.transactions.map { TransactionResponse($0) }
        next = page.next?.description
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(transactions, forKey: .transactions)
        // 'null' is written, too.
        try container.encode(next, forKey: .next)
    }
}
#endif
