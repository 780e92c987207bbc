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

/// The routes to the books: each is a command or a query.
struct BooksRoutes: Sendable {
    let dispatcher: any CommandQueryDispatcher
    let limits: LedgerServer.Limits

    var routes: [LedgerRoute] {
        [
            .get("/api/accounts") { _ in
                try JSONAnswer(AccountsWire(accounts: try await dispatcher.dispatch(GetAccounts()))).response()
            },
            .get("/api/balances") { _ in
                try JSONAnswer(BalancesWire(try await dispatcher.dispatch(GetBalances()))).response()
            },
            .get("/api/register", register),
            .get("/api/history") { reader in
                let account = try reader.required("account")
                let series = try await dispatcher.dispatch(GetHistory(of: account))
                return try JSONAnswer(HistoryWire(series, of: account)).response()
            },
            .post("/api/transactions", post),
            .get("/api/transactions/{id}") { reader in
                let id = try reader.id("transaction")
                guard let posted = try await dispatcher.dispatch(GetTransaction(id: id)) else {
                    throw APIError.notFound("There is no transaction '\(id)'.")
                }
                return try JSONAnswer(TransactionWire(posted)).response()
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
                throw APIError.malformed("'limit' must be a number from 1 to 500.")
            }
            limit = number
        }
        var cursor: GetRegisterPage.Cursor?
        if let text = try reader.parameter("after") {
            guard let given = GetRegisterPage.Cursor(text) else {
                throw APIError.malformed("'after' must be the 'next' of a page.")
            }
            cursor = given
        }
        let page = try await dispatcher.dispatch(GetRegisterPage(of: account, after: cursor, limit: limit))
        return try JSONAnswer(RegisterWire(page, of: account)).response()
    }

    @Sendable
    private func post(_ reader: RequestReader) async throws -> Response {
        let keys = reader.request.headers[values: .idempotencyKey]
        if keys.count > 1 { throw APIError.malformed("'Idempotency-Key' is given twice.") }
        let draft = try await reader.json(TransactionRequest.self, limits: limits).draft()
        guard let key = keys.first else {
            let id = UUID.version7()
            try await dispatcher.dispatch(PostTransaction(draft, id: id))
            return try posted(id)
        }
        guard (1...255).contains(key.utf8.count) else {
            throw APIError.malformed("'Idempotency-Key' must have 1 to 255 bytes.")
        }
        // The command must be equal each time, so it has no identifier: where it comes from leads to the transaction.
        let origin = Fingerprint(["idempotency-key", key])
        try await IdempotencyMiddleware.withKey(key) {
            try await dispatcher.dispatch(PostTransaction(draft, origin: origin))
        }
        guard let transaction = try await dispatcher.dispatch(GetTransaction(from: origin)) else {
            throw APIError.notFound("The transaction is no longer there.")
        }
        return try posted(transaction.id)
    }

    private func posted(_ id: UUID) throws -> Response {
        try JSONAnswer(
            PostedWire(transaction: id),
            status: .created,
            headers: [.location: "/api/transactions/\(id)"]
        )
        .response()
    }

    @Sendable
    private func setRule(_ reader: RequestReader) async throws -> Response {
        let account = try reader.required("account")
        let wire = try await reader.json(RuleWire.self, limits: limits)
        let rule = try wire.rule()
        try await dispatcher.dispatch(SetAccountRule(rule, of: account))
        return try JSONAnswer(RuleWire(rule)).response()
    }
}
