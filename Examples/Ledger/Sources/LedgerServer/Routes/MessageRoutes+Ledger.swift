// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Headrace
import HeadraceHummingbird
import Hummingbird
import LedgerApplication

/// The routes whose requests become one message.
extension MessageRoutes<LedgerRequestContext> {
    /// Adds the routes for accounts, transactions, and reports.
    func addBooks() {
        get("/api/accounts", query: GetAccounts()) { AccountsResponse(accounts: $0) }
        get("/api/balances", query: GetBalances()) { BalancesResponse($0) }
        get("/api/net-worth", query: GetNetWorth()) { NetWorthResponse($0) }
        get("/api/history", from: AccountParameter.self) {
            GetHistory(of: $0.account)
        } answer: {
            HistoryResponse($0, of: $1.account)
        }
        get("/api/register", from: RegisterParameters.self) {
            try $0.query()
        } answer: {
            RegisterResponse($0, of: $1.account)
        }
        get("/api/transactions", from: TransactionsParameters.self) {
            try $0.query()
        } answer: { page, _ in
            TransactionsResponse(page)
        }
        get("/api/transactions/{id}", from: IdentifierParameter.self) {
            GetTransaction(id: try $0.uuid(of: "transaction"))
        } answer: { posted, parameters in
            guard let posted else { throw UnknownTransaction(id: try parameters.uuid(of: "transaction")) }
            return TransactionResponse(posted)
        }
        get("/api/income-statement", from: PeriodParameters.self) {
            GetIncomeStatement(in: $0.period, depth: try $0.validDepth())
        } answer: { statement, _ in
            IncomeStatementResponse(statement)
        }
        get("/api/balance-sheet", from: PeriodParameters.self) {
            GetBalanceSheet(before: $0.end, depth: try $0.validDepth())
        } answer: { sheet, _ in
            BalanceSheetResponse(sheet)
        }
        get("/api/standing-orders", query: GetStandingOrders()) { StandingOrdersResponse($0) }
        on("/api/standing-orders/{id}", method: .put, from: StandingOrderRequest.self) {
            try $0.command()
        } answer: { _, _ in
            HTTPResponse.Status.noContent
        }
        on("/api/standing-orders/{id}", method: .delete, from: IdentifierParameter.self) {
            CancelStandingOrder(try $0.uuid(of: "standing order"))
        } answer: { isCancelled, parameters in
            guard isCancelled else {
                throw Problem.notFound(
                    "There is no standing order '\(parameters.id)'. To fix, use an identifier from the list of standing orders."
                )
            }
            return HTTPResponse.Status.noContent
        }
        get("/api/imports", query: GetImports()) { imports in
            ImportsResponse(imports: imports.suffix(PageState.mostImports).map { ImportResponse($0) })
        }
        get("/api/imports/{id}", from: IdentifierParameter.self) {
            GetImportStatus(of: try $0.uuid(of: "import"))
        } answer: { status, parameters in
            guard let status else { throw UnknownImport(id: try parameters.uuid(of: "import")) }
            return ImportResponse(status)
        }
    }

    /// Adds the routes for commands with an idempotency key.
    func addKeyedCommands() {
        on("/api/transactions", method: .post, from: TransactionRequest.self) {
            PostTransaction(try $0.draft())
        } answer: { id, _ in
            PostedResponse(transaction: id).created
        }
        on("/api/transactions/{id}/reversal", method: .post, from: ReversalRequest.self) {
            try $0.command()
        } answer: { id, _ in
            PostedResponse(transaction: id).created
        }
    }

    /// Adds the routes for files with comma-separated values.
    ///
    /// - Parameter dispatcher: Answers the queries for the pages after the first, while the response is written.
    func addTables(_ dispatcher: any CommandQueryDispatcher) {
        get("/api/balances.csv", query: GetBalances()) { CSVTable($0).response("balances") }
        get("/api/income-statement.csv", from: PeriodParameters.self) {
            GetIncomeStatement(in: $0.period, depth: try $0.validDepth())
        } answer: { statement, _ in
            CSVTable(statement).response("income-statement")
        }
        get("/api/balance-sheet.csv", from: PeriodParameters.self) {
            GetBalanceSheet(before: $0.end, depth: try $0.validDepth())
        } answer: { sheet, _ in
            CSVTable(sheet).response("balance-sheet")
        }
        get("/api/transactions.csv", from: TransactionsParameters.self) {
            try $0.query(after: nil, limit: 500)
        } answer: { first, parameters in
            CSVTable.response("transactions", GetTransaction.Posted.columns, first) { page, table in
                table.append(page)
                guard let next = page.next else { return nil }
                return try await dispatcher.dispatch(parameters.query(after: next, limit: 500))
            }
        }
        get("/api/register.csv", from: AccountParameter.self) {
            GetRegisterPage(of: $0.account, limit: 500)
        } answer: { first, parameters in
            CSVTable.response("register", GetRegister.Entry.columns, first) { page, table in
                try table.append(page)
                guard let next = page.next else { return nil }
                return try await dispatcher.dispatch(GetRegisterPage(of: parameters.account, after: next, limit: 500))
            }
        }
    }
}

extension RouterMethods<LedgerRequestContext> {
    /// Adds the route for the rule of an account, which has a body and a parameter in the query.
    func addRules(_ dispatcher: any CommandQueryDispatcher, limits: LedgerServerLimits) {
        on("/api/rule", method: .put) { reader in
            try reader.requireParameters("account")
            let account = try reader.required("account")
            let body = try await reader.json(RuleBody.self, limits: limits)
            let rule = try body.rule()
            try await dispatcher.dispatch(SetAccountRule(rule, of: account))
            return try JSONAnswer(RuleBody(rule)).response()
        }
    }
}
#endif
