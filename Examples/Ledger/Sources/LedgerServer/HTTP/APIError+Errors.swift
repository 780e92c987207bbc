//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Headrace
import Hummingbird
import LedgerApplication
import LedgerBooks
import LedgerJournal

extension RequestMiddleware<LedgerRequestContext> {
    /// Creates the middleware, which responds to errors in the format of the ledger's API.
    init(observers: [any MessageObserver]) {
        var configuration = Configuration()
        configuration.observers = observers
        // An upload has a longer limit of its own.
        configuration.timeLimit = nil
        configuration.problems = ProblemTable(standardRules: false)
        configuration.problems.add((any Error).self) { error in
            let answer = APIError(error)
            if answer.status == .internalServerError { return nil }
            return Problem(answer.status, code: answer.code, answer.message)
        }
        configuration.response = { error, _ in try APIError(error).response() }
        self.init(configuration)
    }
}

extension APIError {
    /// Creates the error that a client receives for `error`.
    init(_ error: any Error) {
        switch error {
        case let error as APIError:
            self = error
        case let problem as Problem:
            self.init(problem.status, problem.code, problem.message)
        case let error as PostingRefusal:
            self.init(.unprocessableContent, "\(error.code)", error.message)
        case let error as AccountRefusal:
            self.init(.unprocessableContent, "\(error.code)", error.message)
        case let error as QuantityError:
            self.init(.unprocessableContent, "\(error.code)", error.message)
        case let error as JournalError:
            self.init(.unprocessableContent, "\(error.code)", error.message, line: error.line)
        case let error as UnknownAccount:
            self.init(.notFound, "unknownAccount", "The ledger has no account '\(error.account)'.")
        case let error as UnknownImport:
            self.init(.notFound, "unknownImport", error.description)
        case let error as IdempotencyError:
            self.init(idempotency: error)
        case let error as StoreError:
            self.init(store: error)
        case let error as HTTPError where error.status == .notFound:
            self = .notFound("There is no such resource. To fix, see /openapi.json for the paths.")
        case let error as any HTTPResponseError:
            self.init(error.status, "refused", error.status.reasonPhrase)
        case is CancellationError:
            self.init(
                .serviceUnavailable, "shuttingDown", "The server is shutting down. To fix, send it again.",
                retryAfter: 2)
        default:
            self.init(.internalServerError, "internal", "The server has failed. To fix, look for the error in its log.")
        }
    }

    private init(idempotency error: IdempotencyError) {
        switch error.code {
        case .differentCommand:
            self.init(
                .conflict,
                "keyUsed",
                "The idempotency key was used by another request. To fix, give each request its own key."
            )
        default:
            self.init(.internalServerError, "internal", "The server has failed. To fix, look for the error in its log.")
        }
    }

    private init(store error: StoreError) {
        switch error.code {
        case .foreignCursor:
            self.init(
                .badRequest, "foreignCursor", "The cursor belongs to another query. To fix, request the first page.")
        case .full:
            self = .full("the change")
        case .fileRemoved:
            self.init(
                .serviceUnavailable,
                "booksRemoved",
                "The database file was removed or replaced while the server ran, so nothing was stored. To fix, restore "
                    + "the file, or restart the server."
            )
        case .unreachable:
            self.init(
                .serviceUnavailable,
                "databaseUnreachable",
                "The database server can't be reached, so nothing was stored. To fix, send it again.",
                retryAfter: 1
            )
        case .outcomeUnknown:
            self.init(
                .serviceUnavailable,
                "outcomeUnknown",
                "The connection to the database server has ended, and the change may be stored. To fix, send it again with "
                    + "the same idempotency key. Without a key, look for the transaction first.",
                retryAfter: 1
            )
        case .tooLong:
            self.init(.unprocessableContent, "tooLong", error.message)
        case _ where error.isRetryable:
            self.init(
                .serviceUnavailable,
                "busy",
                "The change conflicts with other changes, so nothing was stored. To fix, send it again.",
                retryAfter: 1
            )
        case .uniqueViolation where error.entity?.kind == Transaction.entityName,
            .alreadyExists where error.entity?.kind == Transaction.entityName:
            self.init(.conflict, "exists", "The transaction was posted before.")
        default:
            self.init(.internalServerError, "internal", "The server has failed. To fix, look for the error in its log.")
        }
    }
}
