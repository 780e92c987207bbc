// SPDX-License-Identifier: Apache-2.0

#if Server
import HTTPTypes
import Headrace
import HeadraceHummingbird
import Hummingbird
import LedgerApplication
import LedgerBooks
import LedgerJournal
import Logging

extension ProblemTable {
    /// The problems of all errors that have a cause in a request.
    static let ledger: ProblemTable = {
        var problems = ProblemTable()
        problems.add(PostingRefusal.self) { .invalid("\($0.code)", $0.message) }
        problems.add(ImportRefusal.self) { error in
            .invalid("\(error.refusal.code)", error.refusal.message)
                .with([Problem.Failure(path: "", text: error.refusal.message, line: error.line)])
        }
        problems.add(AccountRefusal.self, status: .unprocessableContent)
        problems.add(StandingOrderRefusal.self, status: .unprocessableContent)
        problems.add(QuantityError.self) { .invalid("\($0.code)", $0.message) }
        problems.add(JournalError.self) { error in
            .invalid("\(error.code)", error.message)
                .with([Problem.Failure(path: "", text: error.message, line: error.line)])
        }
        problems.add(UnknownAccount.self) { error in
            Problem(.notFound, code: "unknownAccount", "The ledger has no account '\(error.account)'.")
        }
        problems.add(UnknownTransaction.self) { Problem(.notFound, code: "unknownTransaction", $0.description) }
        problems.add(ReversalRefusal.self) { (code: ReversalRefusal.Code) in
            code == .alreadyReversed ? .conflict : .unprocessableContent
        }
        problems.add(UnknownImport.self) { Problem(.notFound, code: "unknownImport", $0.description) }
        problems.add(ContentReserved.self, status: .conflict)
        problems.add(StoreError.self, problem: problem)
        problems.add(ProjectionError.self) { error in
            guard error.code == .building else { return nil }
            return Problem(
                .serviceUnavailable,
                code: "building",
                "The totals are being computed for the first time. To fix, send the request again later."
            )
            .retry(after: .seconds(1))
        }
        // Clients of the API know this status since before the draft of the field had another.
        problems.add(IdempotencyError.self) { error in
            guard error.code == .differentCommand else { return nil }
            return Problem(
                .conflict,
                code: "keyUsed",
                "The idempotency key was used by another request. To fix, give each request its own key."
            )
        }
        problems.add(HTTPError.self) { error in
            error.status == .notFound
                ? .notFound("There is no such resource. To fix, see /openapi.json for the paths.") : nil
        }
        return problems
    }()

    private static func problem(for error: StoreError) -> Problem? {
        switch error.code {
        case .fileRemoved:
            Problem(
                .serviceUnavailable,
                code: "booksRemoved",
                "The database file was removed or replaced while the server ran, so nothing was stored. To fix, restore "
                    + "the file, or restart the server."
            )
        case .unreachable:
            Problem(
                .serviceUnavailable,
                code: "databaseUnreachable",
                "The database server can't be reached, so nothing was stored. To fix, send it again."
            )
            .retry(after: .seconds(1))
        case .uniqueViolation where !error.isRetryable && error.entity?.kind == Transaction.entityName,
            .alreadyExists where !error.isRetryable && error.entity?.kind == Transaction.entityName:
            Problem(.conflict, code: "exists", "The transaction was posted before.")
        default: nil
        }
    }
}

extension RequestMiddleware<LedgerRequestContext> {
    /// Creates the middleware with the problems of the ledger.
    init(observers: [any MessageObserver], access: TokenAccess?, limits: LedgerServerLimits, logLevel: Logger.Level?) {
        var configuration = Configuration()
        configuration.observers = observers
        configuration.timeLimit = limits.requestTimeout
        configuration.timeLimits["/api/imports"] = limits.uploadTimeout + limits.requestTimeout
        configuration.problems = .ledger
        configuration.principal = { request, _ in try access?.user(of: request) }
        configuration.logLevel = logLevel
        self.init(configuration)
    }
}
#endif
