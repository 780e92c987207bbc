// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Headrace
import HeadraceHummingbird
import Hummingbird
import LedgerApplication
import LedgerBooks

/// The routes for accounts and transactions that are more than one message.
struct BooksRoutes: Sendable {
    let dispatcher: any CommandQueryDispatcher
    let limits: LedgerServerLimits

    var routes: [LedgerRoute] {
        [
            .post("/api/transactions", takesKey: true, post),
            .put("/api/rule", setRule),
        ]
    }

    @Sendable
    private func post(_ reader: RequestReader) async throws -> Response {
        try reader.requireParameters()
        let draft = try await reader.json(TransactionRequest.self, limits: limits).draft()
        guard let key = try reader.request.idempotencyKey else {
            let id = UUID.version7()
            try await dispatcher.dispatch(PostTransaction(draft, id: id))
            return try PostedResponse(transaction: id).created.response(from: reader.request, context: reader.context)
        }
        // The command must be equal in each attempt, so it has no identifier. Its origin identifies the transaction.
        // The keys of different users are distinct.
        let user = MessageContext.current?.principal.map { [$0.principalID] } ?? []
        let origin = Fingerprint(["idempotency-key", key] + user)
        try await dispatcher.dispatch(PostTransaction(draft, origin: origin))
        guard let transaction = try await dispatcher.dispatch(GetTransaction(from: origin)) else {
            throw Problem.notFound("The transaction no longer exists.")
        }
        return try PostedResponse(transaction: transaction.id).created
            .response(from: reader.request, context: reader.context)
    }

    @Sendable
    private func setRule(_ reader: RequestReader) async throws -> Response {
        try reader.requireParameters("account")
        let account = try reader.required("account")
        let body = try await reader.json(RuleBody.self, limits: limits)
        let rule = try body.rule()
        try await dispatcher.dispatch(SetAccountRule(rule, of: account))
        return try JSONAnswer(RuleBody(rule)).response()
    }
}
