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
import Logging
import NIOHTTP1

/// Turns whatever a route throws into an answer.
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = LedgerRequestContext

    func handle(
        _ request: Request,
        context: LedgerRequestContext,
        next: @concurrent (Request, LedgerRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPParserError {
            // What comes is not HTTP: Hummingbird answers 400 and closes the connection.
            throw error
        } catch {
            let answer = APIError(error)
            if answer.status == .internalServerError {
                context.logger.error(
                    "A request failed.", metadata: ["path": "\(request.uri.path)", "error": "\(error)"])
            }
            return try answer.response(from: request, context: context)
        }
    }
}

extension APIError {
    /// Finds out what a client is to be told of `error`.
    init(_ error: any Error) {
        switch error {
        case let error as APIError:
            self = error
        case let error as PostingRefusal:
            self.init(.unprocessableContent, "\(error.code)", error.message)
        case let error as AccountRefusal:
            self.init(.unprocessableContent, "\(error.code)", error.message)
        case let error as QuantityError:
            self.init(.unprocessableContent, "\(error.code)", error.message)
        case let error as JournalError:
            self.init(.unprocessableContent, "\(error.code)", error.message, line: error.line)
        case let error as UnknownAccount:
            self.init(.notFound, "unknownAccount", "The books have no account '\(error.account)'.")
        case let error as UnknownImport:
            self.init(.notFound, "unknownImport", error.description)
        case let error as IdempotencyError:
            self.init(idempotency: error)
        case let error as StoreError:
            self.init(store: error)
        case let error as HTTPError where error.status == .notFound:
            self = .notFound("There is nothing here. To fix, look at /openapi.json for what there is.")
        case let error as any HTTPResponseError:
            self.init(error.status, "refused", error.status.reasonPhrase)
        case is CancellationError:
            self.init(.serviceUnavailable, "shuttingDown", "The server is shutting down. Send it again.", retryAfter: 2)
        default:
            self.init(.internalServerError, "internal", "Something went wrong here; the log of the server tells more.")
        }
    }

    private init(idempotency error: IdempotencyError) {
        switch error.code {
        case .differentCommand:
            self.init(
                .conflict,
                "keyUsed",
                "Under this idempotency key another request has taken effect. To fix, give each request its own key."
            )
        default:
            self.init(.internalServerError, "internal", "Something went wrong here; the log of the server tells more.")
        }
    }

    private init(store error: StoreError) {
        switch error.code {
        case .foreignCursor:
            self.init(.badRequest, "foreignCursor", "The cursor is of something else. To fix, ask for the first page.")
        case .uniqueViolation, .alreadyExists:
            self.init(.conflict, "exists", "It is in the books already.")
        case .full:
            self = .full("the books")
        case .fileRemoved:
            self.init(
                .serviceUnavailable,
                "booksRemoved",
                "The file of the books was removed or replaced while the server ran, so nothing was stored. To fix, put "
                    + "the file back, or start the server again."
            )
        case _ where error.isRetryable:
            self.init(
                .serviceUnavailable,
                "busy",
                "Others were in the way, and nothing was stored. Send it again.",
                retryAfter: 1
            )
        default:
            self.init(.internalServerError, "internal", "Something went wrong here; the log of the server tells more.")
        }
    }
}
