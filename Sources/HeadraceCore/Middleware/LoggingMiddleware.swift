// SPDX-License-Identifier: Apache-2.0

public import Logging

/// Logs the begin and end of each message, and adds the message to the metadata of all logs of its handler.
///
/// It uses the logger of the task, `Logger.current`. The handler runs with a logger that has this metadata:
///
/// - `headrace.message.id`, `.kind`, `.type`;
/// - `headrace.message.causation` if another message is the cause, and `.correlation`;
/// - `headrace.message.attempt`, from the second attempt on.
///
/// The log entry for the end also contains `headrace.message.duration`, `headrace.message.outcome`, and, for a failure,
/// `error`. The content of messages isn't logged, unless an error contains it.
public struct LoggingMiddleware: Middleware {
    private let level: Logger.Level
    private let failureLevel: Logger.Level
    private let clock: any TimeSource

    /// Creates middleware that logs.
    ///
    /// - Parameters:
    ///   - level: The level for begins, successes, and cancellations.
    ///   - failureLevel: The level for failures. The caller also receives the error, and can log it at a higher level.
    ///   - clock: The clock that measures durations.
    public init(
        level: Logger.Level = .debug,
        failureLevel: Logger.Level = .debug,
        clock: any TimeSource = ContinuousClock()
    ) {
        self.level = level
        self.failureLevel = failureLevel
        self.clock = clock
    }

    /// Handles `message` with its metadata in the logger of the task.
    ///
    /// - Throws: The errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        var logger = Logger.current
        logger[metadataKey: "headrace.message.id"] = "\(context.id)"
        logger[metadataKey: "headrace.message.kind"] = "\(context.kind)"
        logger[metadataKey: "headrace.message.type"] = "\(context.name)"
        logger[metadataKey: "headrace.message.causation"] = context.causationID.map { "\($0)" }
        logger[metadataKey: "headrace.message.correlation"] = "\(context.correlationID)"
        let attempt = context.attempt
        logger[metadataKey: "headrace.message.attempt"] = attempt > 1 ? "\(attempt)" : nil

        logger.log(level: level, "Handling a message")
        let start = clock.now
        do {
            let output = try await binding(logger, isolation: #isolation) { try await next(message) }
            log(.success, since: start, to: logger)
            return output
        } catch {
            log(.failure(error), since: start, to: logger)
            throw error
        }
    }

    private func log(_ outcome: MessageOutcome, since start: ContinuousClock.Instant, to logger: Logger) {
        var metadata: Logger.Metadata = [
            "headrace.message.duration": "\(start.duration(to: clock.now))",
            "headrace.message.outcome": "\(outcome.code)",
        ]
        switch outcome {
        case .success:
            logger.log(level: level, "Handled a message", metadata: metadata)
        case .failure(let error):
            metadata["error"] = "\(error)"
            let level = error is CancellationError ? level : failureLevel
            logger.log(level: level, "Handling a message failed", metadata: metadata)
        }
    }

    /// Runs `operation` with `logger` as the logger of the task, on the actor of the caller.
    ///
    /// `withLogger` alone leaves the actor. Only a closure that captures an isolated parameter stays there.
    private func binding<Result>(
        _ logger: Logger,
        isolation: isolated (any Actor)?,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await withLogger(logger) { _ in
            _ = isolation
            return try await operation()
        }
    }
}
