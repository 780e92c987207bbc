//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Logging
import Synchronization

/// Handles a message again when that failed with an error that says it may be retried.
///
/// ```swift
/// RetryMiddleware(maximumAttempts: 5, backoff: Backoff(base: .milliseconds(20)))
/// ```
///
/// Between attempts it waits as long as ``Backoff`` says, or until the error's ``RetryableError/earliestRetry``. It
/// gives up, and throws the error of the last attempt as it is,
///
/// - after the attempts allowed;
/// - where the error is no ``RetryableError`` or says no;
/// - where the task is cancelled, also while it waits;
/// - where the deadline of the message would pass first;
/// - within a unit of work: the whole is to be done again, not a part of it.
///
/// So register it before the middleware whose work is to be repeated: before a unit of work per command, as that fails
/// when it commits; before a timeout that is meant for each attempt, after one that is meant for all of them.
///
/// Who handles the message reads ``MessageContext/attempt``. Each retry is logged at `debug`.
public struct RetryMiddleware: Middleware {
    private let maximumAttempts: Int
    private let backoff: Backoff
    private let clock: any TimeSource
    private let generator: SharedGenerator

    /// Creates middleware that begins handling a message up to `maximumAttempts` times.
    ///
    /// - Parameters:
    ///   - maximumAttempts: How often in all, the first time included; at least 1.
    ///   - backoff: How long to wait in between.
    ///   - clock: Tells the time and waits.
    ///   - generator: Makes the jitter; used by one message at a time.
    public init(
        maximumAttempts: Int = 3,
        backoff: Backoff = Backoff(),
        clock: any TimeSource = ContinuousClock(),
        generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        precondition(maximumAttempts >= 1, "Handling takes an attempt. To fix, allow at least 1.")
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.clock = clock
        self.generator = SharedGenerator(generator)
    }

    /// Handles `message`, several times if need be.
    ///
    /// - Throws: The error of the last attempt.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        var attempt = 1
        while true {
            do {
                if attempt == 1 { return try await next(message) }
                return try await context.asAttempt(attempt) { try await next(message) }
            } catch {
                guard let end = pauseEnd(after: error, attempt: attempt, in: context) else { throw error }
                log(error, attempt: attempt, in: context)
                do {
                    try await clock.sleep(until: end, tolerance: nil)
                } catch _ {
                    throw error
                }
                if Task.isCancelled || context.deadline.map({ clock.now >= $0 }) == true { throw error }
                attempt += 1
            }
        }
    }

    /// When to begin the next attempt, or `nil` where there is to be none.
    private func pauseEnd(
        after error: any Error,
        attempt: Int,
        in context: MessageContext
    ) -> ContinuousClock.Instant? {
        guard
            attempt < maximumAttempts, !Task.isCancelled, !AtomicScope.isCurrent,
            let error = error as? any RetryableError, error.isRetryable
        else { return nil }
        let pause = generator.pause(backoff, afterAttempt: attempt)
        let paused = clock.now.advanced(by: pause)
        let end = max(paused, error.earliestRetry ?? paused)
        if let deadline = context.deadline, end >= deadline { return nil }
        return end
    }

    private func log(_ error: any Error, attempt: Int, in context: MessageContext) {
        Logger.current.debug(
            "Handling a message failed and will be tried again",
            metadata: [
                "headrace.message.id": "\(context.id)",
                "headrace.message.type": "\(context.typeName)",
                "headrace.message.attempt": "\(attempt)",
                "error": "\(error)",
            ]
        )
    }
}

/// The source of jitter, used by many messages, one at a time.
private final class SharedGenerator: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Mutex(generator)
    }

    func pause(_ backoff: Backoff, afterAttempt attempt: Int) -> Duration {
        generator.withLock { backoff.pause(afterAttempt: attempt, using: &$0) }
    }
}
