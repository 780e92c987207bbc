// SPDX-License-Identifier: Apache-2.0

/// An error for a message whose handling took longer than a timeout.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct TimeoutError: CodedError {
    /// The outcome of the handling, stable enough to branch on.
    public typealias Code = ErrorCode<TimeoutError>

    /// The outcome of the handling.
    public let code: Code

    /// A description of the error and its fix, in one sentence each.
    public let message: String

    /// Name of the message's type, with its module.
    public let messageType: String

    /// The timeout, or the time until the deadline of the message if that was shorter.
    public let limit: Duration

    /// The error of the handling after its cancellation, usually a `CancellationError`; `nil` if it succeeded.
    public let cause: (any Error)?

    /// Whether the deadline of the message was earlier than the timeout.
    package let isAtDeadline: Bool

    init(_ context: MessageContext, limit: Duration, cause: (any Error)?, isAtDeadline: Bool = false) {
        self.isAtDeadline = isAtDeadline
        code = cause == nil ? .finishedLate : .timedOut
        messageType = context.typeName
        self.limit = limit
        self.cause = cause
        let ending = cause == nil ? "succeeded afterwards, so its effects remain" : "was cancelled"
        message = """
            Handling '\(messageType)' took longer than \(limit) and \(ending). To fix, raise the timeout, or make the \
            handler faster and let it end on cancellation.
            """
    }
}

extension TimeoutError: RetryableError {
    /// Whether the ``cause`` is a `CancellationError` or a retryable error.
    public var isRetryable: Bool {
        cause is CancellationError || (cause as? any RetryableError)?.isRetryable == true
    }
}

extension ErrorCode<TimeoutError> {
    /// The handling was cancelled, and failed.
    public static var timedOut: Self { Self() }

    /// The handling was cancelled, but succeeded.
    ///
    /// Its output is discarded, but its effects remain, unless a unit of work around the timeout rolls them back.
    public static var finishedLate: Self { Self() }
}
