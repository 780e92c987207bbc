// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
import Synchronization

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
    public init(factory: any MetricsFactory = MetricsSystem.factory, clock: any TimeSource = ContinuousClock()) {
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
