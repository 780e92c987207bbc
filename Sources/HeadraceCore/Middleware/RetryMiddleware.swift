// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// Retries messages that fail with a retryable error.
///
/// ```swift
/// RetryMiddleware(maximumAttempts: 5, backoff: Backoff(base: .milliseconds(20)))
/// ```
///
/// Between attempts, it pauses for the duration of the ``Backoff``, and at least until
/// ``RetryableError/earliestRetry`` of the error. A conflict with another writer (``RetryableError/isConflict``) is retried almost at
/// once, as often as the budget of time allows, and doesn't count as one of the attempts. It throws the error of the last attempt,
/// unwrapped, if
///
/// - the maximum number of attempts is reached, or the budget for conflicts is used up;
/// - the error isn't a ``RetryableError``, or isn't retryable;
/// - the task is cancelled, including during a pause;
/// - the deadline of the message is before the end of the pause;
/// - the task is in a unit of work, because only the whole unit of work can be retried.
///
/// Register it before the middleware that a retry must repeat. For example, a unit of work per command fails when it
/// commits, so it belongs after the retry. A timeout before the retry limits all attempts together; a timeout after
/// it limits each attempt.
///
/// Handlers can read ``MessageContext/attempt``. Each retry is logged at level `debug`.
public struct RetryMiddleware: Middleware {
    private let maximumAttempts: Int
    private let backoff: Backoff
    private let conflictBudget: Duration
    private let clock: any TimeSource
    private let generator: JitterSource

    /// Creates middleware that makes up to `maximumAttempts` attempts to handle a message.
    ///
    /// - Parameters:
    ///   - maximumAttempts: Maximum number of attempts including the first, at least 1. Conflicts don't count.
    ///   - backoff: The pauses between attempts.
    ///   - conflictBudget: Time from the first conflict for which conflicts are retried; 5 seconds by default. With `.zero`, conflicts
    ///     are retried like other errors.
    ///   - clock: The clock for pauses and deadlines.
    ///   - generator: The source of jitter, protected by a lock; the current ``SystemValues`` by default.
    public init(
        maximumAttempts: Int = 3,
        backoff: Backoff = Backoff(),
        conflictBudget: Duration = .seconds(5),
        clock: any TimeSource = CurrentClock(),
        generator: some RandomNumberGenerator & Sendable = RandomNumbers.current
    ) {
        precondition(maximumAttempts >= 1, "The maximum number of attempts is less than 1. To fix, pass 1 or more.")
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.conflictBudget = conflictBudget
        self.clock = clock
        self.generator = JitterSource(generator)
    }

    /// Handles `message`, with retries.
    ///
    /// - Throws: The error of the last attempt.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        var attempt = 1
        var conflicts = Conflicts()
        while true {
            do {
                if attempt == 1 { return try await next(message) }
                return try await context.asAttempt(attempt) { try await next(message) }
            } catch {
                guard let end = pauseEnd(after: error, attempt: attempt, &conflicts, in: context) else { throw error }
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

    /// The conflicts of one message.
    private struct Conflicts {
        var count = 0

        /// The end of the budget; `nil` before the first conflict.
        var deadline: ContinuousClock.Instant?
    }

    /// The pauses after conflicts: at random, so that the writers of one entity don't meet again.
    private static let conflictBackoff = Backoff(
        base: .milliseconds(1), factor: 2, longest: .milliseconds(16), jitter: 1)

    /// Returns the start of the next attempt; `nil` if there is no next attempt.
    private func pauseEnd(
        after error: any Error,
        attempt: Int,
        _ conflicts: inout Conflicts,
        in context: MessageContext
    ) -> ContinuousClock.Instant? {
        guard !Task.isCancelled, !CurrentUnitOfWork.isCurrent,
            let error = error as? any RetryableError, error.isRetryable
        else { return nil }
        let now = clock.now
        let pause: Duration
        if error.isConflict, conflictBudget > .zero {
            let deadline = conflicts.deadline ?? now.advanced(by: conflictBudget)
            conflicts.deadline = deadline
            if now >= deadline { return nil }
            conflicts.count += 1
            pause = min(
                generator.pause(Self.conflictBackoff, afterAttempt: conflicts.count),
                generator.pause(backoff, afterAttempt: conflicts.count))
        } else {
            let failures = attempt - conflicts.count
            if failures >= maximumAttempts { return nil }
            pause = generator.pause(backoff, afterAttempt: failures)
        }
        let paused = now.advanced(by: pause)
        let end = max(paused, error.earliestRetry ?? paused)
        if let deadline = context.deadline, end >= deadline { return nil }
        return end
    }

    private func log(_ error: any Error, attempt: Int, in context: MessageContext) {
        Logger.current.debug(
            "Handling a message failed and will be tried again",
            metadata: [
                "headrace.message.id": "\(context.id)",
                "headrace.message.type": "\(context.name)",
                "headrace.message.attempt": "\(attempt)",
                "error": "\(error)",
            ]
        )
    }
}

/// The shared source of jitter, protected by a lock.
private final class JitterSource: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Mutex(generator)
    }

    func pause(_ backoff: Backoff, afterAttempt attempt: Int) -> Duration {
        generator.withLock { backoff.pause(afterAttempt: attempt, using: &$0) }
    }
}
