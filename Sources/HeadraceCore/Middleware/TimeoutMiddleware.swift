//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Ends the handling of a message that takes too long.
///
/// ```swift
/// TimeoutMiddleware(.seconds(5))
/// ```
///
/// When the time is up, or the deadline of the message if that is earlier, the handling is cancelled. The error is
/// thrown when the handling has ended and not before, so nothing goes on behind the back of whoever sent the message;
/// a handler that ignores its cancellation is waited for. Whether the result or the time came first is decided
/// once: ``TimeoutError/cause`` tells how handling ended that was too late.
///
/// The handling runs in a child task, on the actor of whoever sent the message, with its task-local values; it is
/// cancelled with it, and joins its unit of work.
public struct TimeoutMiddleware: Middleware {
    private let limit: Duration
    private let clock: any TimeSource

    /// Creates middleware that lets the handling of a message run for `limit`, more than zero, on `clock`.
    public init(_ limit: Duration, clock: any TimeSource = ContinuousClock()) {
        precondition(limit > .zero, "Handling takes time. To fix, give the timeout more than zero.")
        self.limit = limit
        self.clock = clock
    }

    /// Handles `message` until the time is up.
    ///
    /// - Throws: ``TimeoutError`` where the time was up first; ``MessageError`` where the deadline of the message has
    ///   passed already; what `next` throws, `CancellationError` where the caller is cancelled included.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        let start = clock.now
        var end = start.advanced(by: limit)
        if let deadline = context.deadline {
            if deadline <= start { throw MessageError.deadlineExceeded(context, by: deadline.duration(to: start)) }
            end = min(end, deadline)
        }

        let outcome = await StandIn.run {
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
            throw TimeoutError(context, limit: start.duration(to: end), cause: cause)
        }
    }
}
