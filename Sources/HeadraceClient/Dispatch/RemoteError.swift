// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
public import HTTPTypes
import HeadraceCommands
public import HeadraceCore

/// An error of a server, of the network, or of a response that can't be understood.
///
/// Branch on ``code``. Errors that a route of a ``MessageAPI`` declares arrive as their own types, and not as a `RemoteError`.
public struct RemoteError: CodedError, RetryableError {
    /// An invalid part of a message.
    public typealias Failure = Validation.Failure

    /// The code of the server's problem, such as `keyInUse`, or one of the codes of this type.
    ///
    /// - `unreachable`: there was no complete response.
    /// - `timedOut`: there was no complete response within the time limit.
    /// - `unknownRoute`: the server has no route for the message.
    /// - `newerVersion`, `olderVersion`: the command has a version that the server doesn't know yet, or not any more.
    /// - `invalidResponse`: the server is none of this API, or it has another version.
    public let code: String

    /// A description of the error and its fix.
    public let message: String

    /// The status of the response; `nil` if there was none.
    public let status: HTTPResponse.Status?

    /// The invalid parts of the message.
    public let failures: [Failure]

    /// The URI of this occurrence, which the log of the server has too; `nil` if it has no entry.
    public let instance: String?

    /// The time after which the server expects the next attempt; `nil` if it has not said so.
    public let retryAfter: Duration?

    /// Whether the command may have taken effect although there is an error.
    ///
    /// To find out, dispatch it again with the same key: see `RemoteDispatcher.withKey(_:_:)`.
    public internal(set) var mayHaveTakenEffect: Bool

    /// The error that prevented a response; `nil` if there is one.
    public let cause: (any Error)?

    /// Whether the same message may succeed later.
    public var isRetryable: Bool { isTemporary && !mayHaveTakenEffect }

    /// Whether the network or the server may work later.
    let isTemporary: Bool

    init(
        code: String,
        message: String,
        status: HTTPResponse.Status? = nil,
        failures: [Failure] = [],
        instance: String? = nil,
        retryAfter: Duration? = nil,
        isTemporary: Bool = false,
        mayHaveTakenEffect: Bool = false,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.failures = failures
        self.instance = instance
        self.retryAfter = retryAfter
        self.isTemporary = isTemporary
        self.mayHaveTakenEffect = mayHaveTakenEffect
        self.cause = cause
    }

    static func unreachable(_ error: any Error, isCommand: Bool) -> RemoteError {
        RemoteError(
            code: "unreachable",
            message:
                "The server gave no complete answer: \(error). To fix, check the network and the address, then try again.",
            isTemporary: true,
            mayHaveTakenEffect: isCommand,
            cause: error
        )
    }

    static func invalidResponse(_ reason: String, status: HTTPResponse.Status?, isCommand: Bool) -> RemoteError {
        RemoteError(
            code: "invalidResponse",
            message:
                "The answer of the server can't be understood: \(reason). To fix, check the address of the server, and whether "
                + "the server and the client have the same version.",
            status: status,
            mayHaveTakenEffect: isCommand
        )
    }

    static func unknownRoute(_ route: MessageRoute) -> RemoteError {
        RemoteError(
            code: "unknownRoute",
            message:
                "The server doesn't know '\(route)'. To fix, update the server, which is older than the client, or correct the "
                + "address of the server.",
            status: .notFound
        )
    }

    static func withoutProblem(_ status: HTTPResponse.Status, retryAfter: Duration?, isCommand: Bool) -> RemoteError {
        RemoteError(
            code: "status\(status.code)",
            message:
                "The server, or a gateway before it, answered with the status \(status). To fix, try again later, or check the "
                + "address of the server.",
            status: status,
            retryAfter: retryAfter,
            isTemporary: temporary(status),
            mayHaveTakenEffect: isCommand && status.code >= 500
        )
    }

    /// Whether a response with the status `status` means that the same request may succeed later.
    static func temporary(_ status: HTTPResponse.Status) -> Bool {
        [408, 425, 429, 502, 503, 504].contains(status.code)
    }
}

extension DispatchError {
    static func noRoute(for message: Any.Type) -> DispatchError {
        DispatchError(
            code: .noHandler,
            message: """
                The API has no route for '\(String(naming: message))'. To fix, add it to the routes of the 'MessageAPI'.
                """
        )
    }

    static func unknown(_ name: String) -> DispatchError {
        DispatchError(
            code: .noHandler,
            message: "The API has no route for the kept command '\(name)'. To fix, add it, or discard the command."
        )
    }

    static func notLive(_ route: MessageRoute) -> DispatchError {
        DispatchError(
            code: .noHandler,
            message: "'\(route)' can't be observed. To fix, declare it with '.live' in the 'MessageAPI'."
        )
    }
}
#endif
