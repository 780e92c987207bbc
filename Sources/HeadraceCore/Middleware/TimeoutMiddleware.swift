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
    public init(_ limit: Duration, clock: any TimeSource = ContinuousClock()) {
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

        let outcome = await withInterruptibleChild {
            try await next(message)
        } until: { [clock, end] in
            try await clock.sleep(until: end, tolerance: nil)
        }

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
