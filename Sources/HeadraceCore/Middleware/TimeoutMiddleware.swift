// SPDX-License-Identifier: Apache-2.0

/// Ends the handling of a message that takes too long.
///
/// ```swift
/// TimeoutMiddleware(.seconds(5))
/// ```
///
/// After the timeout, or at the deadline of the message if that is earlier, the handler is cancelled. The middleware
/// throws the error when the handler has ended, so no work continues in the background. It waits even for a handler
/// that ignores its cancellation. ``TimeoutError/cause`` is the error of the cancelled handler.
///
/// The handler runs in a child task, on the actor of the sender and with its task-local values. It is cancelled with
/// the sender's task, and joins its unit of work.
public struct TimeoutMiddleware: Middleware {
    private let limit: Duration
    private let clock: any TimeSource

    /// Creates middleware with the timeout `limit`, which must be greater than zero.
    public init(_ limit: Duration, clock: any TimeSource = CurrentClock()) {
        precondition(limit > .zero, "The timeout isn't positive. To fix, pass a duration greater than zero.")
        self.limit = limit
        self.clock = clock
    }

    /// Handles `message`, and cancels the handler after the timeout.
    ///
    /// - Throws: ``TimeoutError`` if the handler took too long; ``MessageError`` if the deadline of the message has
    ///   already passed; the errors of `next`, including `CancellationError` if the caller is cancelled.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        let start = clock.now
        var end = start.advanced(by: limit)
        var isAtDeadline = false
        if let deadline = context.deadline {
            if deadline <= start { throw MessageError.deadlineExceeded(context, by: deadline.duration(to: start)) }
            isAtDeadline = deadline < end
            end = min(end, deadline)
        }

        let outcome = await withInterruptibleChild(until: end, on: clock) { try await next(message) }

        switch outcome {
        case .ended(let result):
            return try result.get()
        case .interrupted(let result):
            var cause: (any Error)?
            if case .failure(let error) = result { cause = error }
            throw TimeoutError(context, limit: start.duration(to: end), cause: cause, isAtDeadline: isAtDeadline)
        }
    }
}

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
