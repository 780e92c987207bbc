//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPTypes
import Headrace
import Hummingbird
import LedgerApplication
import LedgerBooks

/// The routes for accounts and transactions.
///
/// Each dispatches a command or a query.
struct BooksRoutes: Sendable {
    let dispatcher: any CommandQueryDispatcher
    let limits: LedgerServerLimits

    var routes: [LedgerRoute] {
        [
            .get("/api/accounts") { _ in
                try JSONAnswer(AccountsResponse(accounts: try await dispatcher.dispatch(GetAccounts()))).response()
            },
            .get("/api/balances") { _ in
                try JSONAnswer(BalancesResponse(try await dispatcher.dispatch(GetBalances()))).response()
            },
            .get("/api/register", register),
            .get("/api/history") { reader in
                let account = try reader.required("account")
                let series = try await dispatcher.dispatch(GetHistory(of: account))
                return try JSONAnswer(HistoryResponse(series, of: account)).response()
            },
            .get("/api/net-worth") { _ in
                try JSONAnswer(NetWorthResponse(try await dispatcher.dispatch(GetNetWorth()))).response()
            },
            .post("/api/transactions", takesKey: true, post),
            .get("/api/transactions/{id}") { reader in
                let id = try reader.id("transaction")
                guard let posted = try await dispatcher.dispatch(GetTransaction(id: id)) else {
                    throw Problem.notFound("There is no transaction '\(id)'.")
                }
                return try JSONAnswer(TransactionResponse(posted)).response()
            },
            .put("/api/rule", setRule),
        ]
    }

    @Sendable
    private func register(_ reader: RequestReader) async throws -> Response {
        let account = try reader.required("account")
        var limit = 50
        if let text = try reader.parameter("limit") {
            guard let number = Int(text), (1...500).contains(number) else {
                throw Problem.malformed("The parameter 'limit' must be a number from 1 to 500.")
            }
            limit = number
        }
        var cursor: GetRegisterPage.Cursor?
        if let text = try reader.parameter("after") {
            guard let given = GetRegisterPage.Cursor(text) else {
                throw Problem.malformed("The parameter 'after' must be the 'next' of a page.")
            }
            cursor = given
        }
        let page = try await dispatcher.dispatch(GetRegisterPage(of: account, after: cursor, limit: limit))
        return try JSONAnswer(RegisterResponse(page, of: account)).response()
    }

    @Sendable
    private func post(_ reader: RequestReader) async throws -> Response {
        let draft = try await reader.json(TransactionRequest.self, limits: limits).draft()
        guard let key = reader.request.headers[.idempotencyKey] else {
            let id = UUID.version7()
            try await dispatcher.dispatch(PostTransaction(draft, id: id))
            return try posted(id)
        }
        // The command must be equal in each attempt, so it has no identifier. Its origin identifies the transaction.
        // The keys of different users are distinct.
        let user = MessageContext.current?.principal.map { [$0.principalID] } ?? []
        let origin = Fingerprint(["idempotency-key", key] + user)
        try await dispatcher.dispatch(PostTransaction(draft, origin: origin))
        guard let transaction = try await dispatcher.dispatch(GetTransaction(from: origin)) else {
            throw Problem.notFound("The transaction no longer exists.")
        }
        return try posted(transaction.id)
    }

    private func posted(_ id: UUID) throws -> Response {
        try JSONAnswer(
            PostedResponse(transaction: id),
            status: .created,
            headers: [.location: "/api/transactions/\(id)"]
        )
        .response()
    }

    @Sendable
    private func setRule(_ reader: RequestReader) async throws -> Response {
        let account = try reader.required("account")
        let body = try await reader.json(RuleBody.self, limits: limits)
        let rule = try body.rule()
        try await dispatcher.dispatch(SetAccountRule(rule, of: account))
        return try JSONAnswer(RuleBody(rule)).response()
    }
}
