// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The failures of the handlers of one notification.
///
/// The other handlers have succeeded. Middleware doesn't retry this error, because a retry runs all handlers again.
public struct PublicationError: CodedError {
    /// The failure of one handler.
    public struct Failure: Sendable {
        /// The type of the handler.
        public let handler: Any.Type

        /// The error of the handler.
        public let error: any Error
    }

    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<PublicationError>

    /// The code of the error.
    public let code: Code

    /// A sentence for each failure, and a sentence about the fix.
    public let message: String

    /// The failures, in the order in which the handlers are registered.
    public let failures: [Failure]

    init(_ notification: Any.Type, handlerCount: Int, _ failures: [Failure]) {
        code = .handlersFailed
        self.failures = failures
        let list = failures.map { "'\(String(naming: $0.handler))': \($0.error)" }.joined(separator: "; ")
        message = """
            Of the \(handlerCount) handlers of '\(String(naming: notification))', \(failures.count) failed: \(list). To fix, \
            repeat only the work of the handlers that failed, because publishing again runs all handlers.
            """
    }
}

extension ErrorCode<PublicationError> {
    /// At least one handler has failed.
    public static var handlersFailed: Self { Self() }
}
