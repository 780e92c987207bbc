// SPDX-License-Identifier: Apache-2.0

#if Hummingbird
import Foundation
import HeadraceResilience
import HTTPTypes
import HeadraceCore
import HeadraceProjections
import HeadraceRelay
import HeadraceStorage
import Hummingbird

extension ProblemTable {
    /// Returns the problem of an error of Headrace, Hummingbird, or the standard library; `nil` for all other errors.
    ///
    /// The texts are for clients, so they contain neither types nor paths nor texts of the operating system.
    static func standardProblem(for error: any Error) -> Problem? {
        switch error {
        case let error as Problem: error
        case let error as MessageValidationError:
            Problem(
                .unprocessableContent,
                code: error.codeName,
                "The request is invalid. To fix, correct the fields in 'failures', then send it again."
            )
            .with(error.failures.map { Problem.Failure(path: $0.path, text: $0.text) })
        case let error as AuthorizationError: problem(for: error)
        case let error as RateLimitError:
            Problem(
                .tooManyRequests,
                code: error.codeName,
                "Too many requests were sent. To fix, send it again after the time in 'Retry-After'."
            )
            .retry(after: error.retryAfter)
        case let error as CircuitBreakerError:
            Problem(
                .serviceUnavailable,
                code: error.codeName,
                "A service that the request needs has failed, so the request wasn't handled. To fix, send it again after "
                    + "the time in 'Retry-After'."
            )
            .retry(after: error.retryAfter ?? .seconds(1))
        case let error as BulkheadError:
            Problem(
                .serviceUnavailable,
                code: error.codeName,
                "Too many requests of this kind are being handled. To fix, send it again after the time in 'Retry-After'."
            )
            .retry(after: .seconds(1))
        case let error as TimeoutError:
            Problem(
                .gatewayTimeout,
                code: error.codeName,
                "The request took too long. It may have taken effect. To fix, send it again with the same "
                    + "'Idempotency-Key'."
            )
        case let error as MessageError: problem(for: error)
        case let error as IdempotencyError: problem(for: error)
        case let error as StoreError: problem(for: error)
        case let error as ProjectionError where [.behind, .building].contains(error.code):
            Problem(
                .serviceUnavailable,
                code: error.codeName,
                "The data of the answer is still being computed. To fix, send the request again."
            )
            .retry(after: .seconds(1))
        case let error as DecodingError:
            Problem.malformed("The request can't be decoded. To fix, correct the fields in 'failures'.")
                .with([error.failure])
        case let error as any HTTPResponseError: problem(for: error)
        case is CancellationError:
            Problem(
                .serviceUnavailable,
                code: "shuttingDown",
                "The request was cancelled, because the server shuts down. To fix, send it again."
            )
            .retry(after: .seconds(2))
        case let error as any RetryableError where error.isRetryable: busy
        default: nil
        }
    }

    private static var busy: Problem {
        Problem(
            .serviceUnavailable,
            code: "busy",
            "The request conflicts with other requests, so nothing was stored. To fix, send it again."
        )
        .retry(after: .seconds(1))
    }

    private static func problem(for error: AuthorizationError) -> Problem? {
        switch error.code {
        case .unauthenticated:
            Problem(
                .unauthorized, code: error.codeName, "The request needs a user. To fix, sign in, then send it again.")
        case .denied:
            Problem(
                .forbidden, code: error.codeName, "The user may not do this. To fix, ask for the permission.")
        default: nil
        }
    }

    /// Two entities would have the same value in the unique index `index`.
    ///
    /// The value can be personal, so the problem lacks it.
    private static func taken(_ index: String) -> Problem {
        Problem(
            .conflict,
            code: StoreError.Code.uniqueViolation.description,
            "The value of '\(index)' belongs to other stored data, so nothing was stored. To fix, choose another value."
        )
        .with([Problem.Failure(path: index, text: "is taken")])
    }

    private static func problem(for error: MessageError) -> Problem? {
        switch error.code {
        case .deadlineExceeded:
            Problem(
                .gatewayTimeout,
                code: error.codeName,
                "The time limit of the request has passed before all of it was handled. To fix, allow more time."
            )
        case .refused: Problem(.forbidden, code: error.codeName, "The request was refused.")
        default: nil
        }
    }

    private static func problem(for error: IdempotencyError) -> Problem? {
        guard error.code == .differentCommand else { return nil }
        return Problem(
            .unprocessableContent,
            code: "keyUsed",
            "The 'Idempotency-Key' was used by another request. To fix, give each request its own key."
        )
    }

    private static func problem(for error: StoreError) -> Problem? {
        switch error.code {
        case _ where error.isRetryable: busy
        case .outcomeUnknown:
            Problem(
                .serviceUnavailable,
                code: error.codeName,
                "The connection to the database server has ended, and the change may be stored. To fix, send it again with "
                    + "the same 'Idempotency-Key'. Without a key, read the data first."
            )
            .retry(after: .seconds(1))
        case .tooLong: Problem(.unprocessableContent, code: error.codeName, error.message)
        case .uniqueViolation where error.indexEntry != nil: taken(error.indexEntry?.index ?? "")
        case .versionConflict, .alreadyExists, .uniqueViolation:
            Problem(
                .conflict,
                code: error.codeName,
                "The request conflicts with stored data, so nothing was stored. To fix, read the data, then send a "
                    + "corrected request."
            )
        case .foreignCursor:
            Problem(
                .badRequest,
                code: error.codeName,
                "The cursor belongs to another query. To fix, request the first page."
            )
        case .full:
            Problem(
                HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                code: error.codeName,
                "The server has no space left, so nothing was stored. To fix, free space, then send it again."
            )
        case .closed, .locked, .fileRemoved, .schemaChanged:
            Problem(
                .serviceUnavailable,
                code: error.codeName,
                "The store of the server isn't available, so nothing was stored. To fix, send it again later."
            )
            .retry(after: .seconds(5))
        default: nil
        }
    }

    private static func problem(for error: any HTTPResponseError) -> Problem? {
        if error.status == .internalServerError { return nil }
        var problem = Problem(
            error.status,
            code: error.status == .notFound ? "notFound" : "refused",
            (error as? HTTPError)?.body ?? "\(error.status.reasonPhrase)."
        )
        if let error = error as? HTTPError { problem.headers = error.headers }
        return problem
    }
}

extension DecodingError {
    /// The error in the request, for the client.
    fileprivate var failure: Problem.Failure {
        switch self {
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            Problem.Failure(path: "", text: "isn't well-formed")
        case .dataCorrupted(let context):
            Problem.Failure(path: Self.path(context.codingPath), text: context.debugDescription)
        case .keyNotFound(let key, let context):
            Problem.Failure(path: Self.path(context.codingPath + [key]), text: "is missing")
        case .valueNotFound(_, let context): Problem.Failure(path: Self.path(context.codingPath), text: "is missing")
        case .typeMismatch(_, let context):
            Problem.Failure(path: Self.path(context.codingPath), text: "has the wrong type")
        @unknown default: Problem.Failure(path: "", text: "is invalid")
        }
    }

    /// Returns a path as in `lines[2].quantity`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { path, key in
            if let index = key.intValue { return path + "[\(index)]" }
            return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
        }
    }
}
#endif
