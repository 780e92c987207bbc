// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
import Foundation
import Instrumentation
public import Logging
import Synchronization
public import Tracing

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
        clock: any TimeSource = CurrentClock()
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

/// Handles each message in a new span, within the trace of the sender.
///
/// The name of the span is the name of the message's type, and its kind is `internal`. Its attributes are
/// `headrace.message.id`, `.kind`, `.type`, `.causation` if another message is the cause, `.correlation`, and
/// `.attempt` from the second attempt on. Failures are recorded.
public struct MessageTracingMiddleware: Middleware {
    private let tracer: (any Tracer)?

    /// Creates middleware with a tracer; `nil` for the tracer of the task or the system.
    public init(tracer: (any Tracer)? = nil) {
        self.tracer = tracer
    }

    /// Handles `message` in a new span.
    ///
    /// - Throws: The errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        let tracer = tracer ?? InstrumentationSystem.tracer
        let typeName = context.name
        let span: any Span = tracer.startSpan(typeName, ofKind: .internal)
        defer { span.end() }
        if span.isRecording {
            span.attributes["headrace.message.id"] = context.id.uuidString
            span.attributes["headrace.message.kind"] = context.kind.description
            span.attributes["headrace.message.type"] = typeName
            span.attributes["headrace.message.causation"] = context.causationID?.uuidString
            span.attributes["headrace.message.correlation"] = context.correlationID.uuidString
            let attempt = context.attempt
            if attempt > 1 { span.attributes["headrace.message.attempt"] = attempt }
        }

        // `withSpan` would leave the caller's actor.
        do {
            return try await InstrumentationContext.$current.binding(span.context) { try await next(message) }
        } catch {
            span.recordError(error)
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}

/// Counts messages and measures their durations.
///
/// - `headrace.messages.begun`, a counter, by `kind` and `type`;
/// - `headrace.messages.ended`, a counter, by `kind`, `type` and `outcome`;
/// - `headrace.message.duration`, a timer, by the same.
///
/// The number of distinct labels is limited: the kinds of messages, the names of their types (or the
/// ``NamedMessage/messageName`` of root messages), and ``MessageOutcome/code``.
public struct MessageMetricsMiddleware: Middleware {
    private let clock: any TimeSource
    private let metrics: MessageMetrics

    /// Creates middleware that records metrics.
    ///
    /// - Parameters:
    ///   - factory: The factory that creates each metric once. Bootstrap the metrics system before you use the default.
    ///   - clock: The clock that measures durations.
    public init(factory: any MetricsFactory = MetricsSystem.factory, clock: any TimeSource = CurrentClock()) {
        self.clock = clock
        metrics = MessageMetrics(factory: factory)
    }

    /// Handles `message` and records its metrics.
    ///
    /// - Throws: The errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        metrics.begun(context)
        let start = clock.now
        do {
            let output = try await next(message)
            metrics.ended(context, outcome: .success, after: start.duration(to: clock.now))
            return output
        } catch {
            metrics.ended(context, outcome: .failure(error), after: start.duration(to: clock.now))
            throw error
        }
    }
}

/// The metrics for each kind, name, and outcome, created on first use.
private final class MessageMetrics: Sendable {
    private struct Key: Hashable {
        let kind: MessageKind
        let message: MessageGroupKey
        var outcome: String?
    }

    private struct Ended {
        let counter: Counter
        let timer: CoreMetrics.Timer
    }

    private struct State {
        var begun: [Key: Counter] = [:]
        var ended: [Key: Ended] = [:]
    }

    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(factory: any MetricsFactory) {
        self.factory = factory
    }

    func begun(_ context: MessageContext) {
        let key = Key(kind: context.kind, message: .name(of: context))
        let counter = state.withLock { state in
            if let counter = state.begun[key] { return counter }
            let counter = Counter(
                label: "headrace.messages.begun", dimensions: dimensions(of: context), factory: factory
            )
            state.begun[key] = counter
            return counter
        }
        counter.increment()
    }

    func ended(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {
        let outcome = outcome.code
        let key = Key(kind: context.kind, message: .name(of: context), outcome: outcome)
        let ended = state.withLock { state in
            if let ended = state.ended[key] { return ended }
            let dimensions = dimensions(of: context) + [("outcome", outcome)]
            let ended = Ended(
                counter: Counter(label: "headrace.messages.ended", dimensions: dimensions, factory: factory),
                timer: CoreMetrics.Timer(
                    label: "headrace.message.duration", dimensions: dimensions, factory: factory
                )
            )
            state.ended[key] = ended
            return ended
        }
        ended.counter.increment()
        let (seconds, attoseconds) = duration.components
        let (nanoseconds, isOverflown) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        ended.timer.recordNanoseconds(isOverflown ? .max : nanoseconds + attoseconds / 1_000_000_000)
    }

    private func dimensions(of context: MessageContext) -> [(String, String)] {
        [("kind", context.kind.description), ("type", context.name)]
    }
}
