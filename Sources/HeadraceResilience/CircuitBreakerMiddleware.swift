// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
public import HeadraceCore
import Synchronization

/// Refuses messages for a pause after several failures in a row, so that a service which is down isn't called in vain.
///
/// ```swift
/// CircuitBreakerMiddleware(failures: 5, pause: .seconds(30), per: .all(named: "payments"))
/// ```
///
/// A circuit is closed at first: messages are handled. After `failures` consecutive failures it opens: messages are refused
/// at once. After the pause, the next message is handled as a probe, and the other messages are still refused. If the
/// probe succeeds, the circuit closes. If it fails, the circuit opens for another pause. A probe that is cancelled leaves its
/// place to the next message.
///
/// The outcome of a message that was admitted before the circuit opened or closed doesn't count.
///
/// By default, an error counts as a failure, except for the refusal of one message: `CancellationError`,
/// ``HeadraceCore/MessageValidationError``, ``HeadraceCore/AuthorizationError``, ``HeadraceCore/MessageError``, ``RateLimitError``, ``BulkheadError``, and
/// ``CircuitBreakerError``. Such an error doesn't count as a success either. Neither do errors after the task of the sender was
/// cancelled, nor a ``HeadraceCore/TimeoutError`` at the deadline of the message: a sender that gives up early says nothing about the service.
///
/// A message that a handler sends within its own circuit passes, and only the outcome of the outer message counts.
///
/// Register it inside a ``HeadraceCore/RetryMiddleware``, so that each attempt counts, and outside a ``HeadraceCore/TimeoutMiddleware``, so that a
/// time-out counts as a failure.
///
/// Metrics, with the label `circuit`: `headrace.circuit.opened` and `headrace.circuit.refused`, counters, and
/// `headrace.circuit.state`, a gauge: 0 if closed, 1 if half-open, 2 if open.
///
/// The circuits are in memory: each process has its own, and a new process begins with closed circuits.
public struct CircuitBreakerMiddleware: Middleware {
    private let group: MessageGroup
    private let clock: any TimeSource
    private let isFailure: @Sendable (any Error) -> Bool
    private let circuits: SharedCircuits

    /// Creates middleware with closed circuits.
    ///
    /// - Parameters:
    ///   - failures: Number of consecutive failures that open a circuit, at least 1.
    ///   - pause: Time from the opening to the probe, greater than zero.
    ///   - group: The messages that share a circuit.
    ///   - clock: The clock of the pause.
    ///   - factory: The factory of the metrics. Bootstrap the metrics system before you use the default.
    ///   - isFailure: Returns whether an error is a failure of the service that the handlers call.
    public init(
        failures: Int,
        pause: Duration,
        per group: MessageGroup = .messageType,
        clock: any TimeSource = CurrentClock(),
        factory: any MetricsFactory = MetricsSystem.factory,
        isFailure: @escaping @Sendable (any Error) -> Bool = Self.isFailureOfTheService
    ) {
        precondition(failures >= 1, "The number of failures is less than 1. To fix, pass 1 or more.")
        precondition(pause > .zero, "The pause isn't positive. To fix, pass a duration greater than zero.")
        self.group = group
        self.clock = clock
        self.isFailure = isFailure
        circuits = SharedCircuits(Circuits(failureLimit: failures, pause: pause), factory)
    }

    /// The state of each circuit by its key.
    ///
    /// A circuit without failures since the start may be missing. Its state is closed.
    public var states: [String: CircuitState] { circuits.states }

    /// Handles `message` unless its circuit is open.
    ///
    /// - Throws: ``CircuitBreakerError`` if the circuit is open; the errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard let key = group.key(of: message, in: context) else { return try await next(message) }
        if let outer = GroupHandling.join(key, of: circuits) {
            defer { outer.leave() }
            return try await next(message)
        }
        let now = clock.now
        switch circuits.admit(key, at: now) {
        case .refused(let earliest):
            throw CircuitBreakerError(context, circuit: key.name, now: now, earliest: earliest)
        case .admitted(let admission):
            do {
                let output = try await GroupHandling.run(key, of: circuits) { try await next(message) }
                circuits.end(admission, of: key, .success, at: clock.now)
                return output
            } catch {
                circuits.end(admission, of: key, outcome(error), at: clock.now)
                throw error
            }
        }
    }

    private func outcome(_ error: any Error) -> Circuits.Outcome {
        // The caller has given up, whatever error a client library made of that.
        if Task.isCancelled || (error as? TimeoutError)?.isAtDeadline == true { return .unknown }
        return isFailure(error) ? .failure : .unknown
    }

    /// Returns whether `error` is more than the refusal of one message; see ``CircuitBreakerMiddleware``.
    public static let isFailureOfTheService: @Sendable (any Error) -> Bool = { error in
        switch error {
        case is CancellationError, is MessageValidationError, is AuthorizationError, is MessageError, is RateLimitError,
            is BulkheadError, is CircuitBreakerError:
            false
        default: true
        }
    }
}

/// The circuits behind a lock, with their metrics.
private final class SharedCircuits: Sendable {
    private struct Metrics {
        let opened: Counter
        let refused: Counter
        let state: Gauge
    }

    private struct State {
        var circuits: Circuits
        var metrics: [MessageGroupKey: Metrics] = [:]
    }

    private let state: Mutex<State>
    private let factory: any MetricsFactory

    init(_ circuits: Circuits, _ factory: any MetricsFactory) {
        state = Mutex(State(circuits: circuits))
        self.factory = factory
    }

    var states: [String: CircuitState] {
        let states = state.withLock { $0.circuits.states }
        // Types of different files can have the same name. The state of the one that refuses messages is more important.
        return Dictionary(states.map { ($0.key.name, $0.value) }) { $0 == .open || $1 == .closed ? $0 : $1 }
    }

    func admit(_ key: MessageGroupKey, at now: ContinuousClock.Instant) -> Circuits.Decision {
        state.withLock { state in
            let decision = state.circuits.admit(key, at: now)
            switch decision {
            case .refused: metrics(of: key, in: &state).refused.increment()
            case .admitted(let admission): if admission.isProbe { metrics(of: key, in: &state).state.record(1) }
            }
            return decision
        }
    }

    func end(
        _ admission: Circuits.Admission,
        of key: MessageGroupKey,
        _ outcome: Circuits.Outcome,
        at now: ContinuousClock.Instant
    ) {
        // The gauge is recorded under the lock, so its last value is that of the last change.
        state.withLock { state in
            switch state.circuits.end(admission, of: key, outcome, at: now) {
            case .open:
                let metrics = metrics(of: key, in: &state)
                metrics.state.record(2)
                if outcome == .failure { metrics.opened.increment() }
            case .closed: metrics(of: key, in: &state).state.record(0)
            case .halfOpen, nil: break
            }
        }
    }

    private func metrics(of key: MessageGroupKey, in state: inout State) -> Metrics {
        if let metrics = state.metrics[key] { return metrics }
        let dimensions = [("circuit", key.name)]
        let metrics = Metrics(
            opened: Counter(label: "headrace.circuit.opened", dimensions: dimensions, factory: factory),
            refused: Counter(label: "headrace.circuit.refused", dimensions: dimensions, factory: factory),
            state: Gauge(label: "headrace.circuit.state", dimensions: dimensions, factory: factory)
        )
        state.metrics[key] = metrics
        return metrics
    }
}

/// An error for a message that was refused, because the messages before it have failed.
public struct CircuitBreakerError: CodedError {
    /// Name of the message's type, with its module.
    public let messageType: String

    /// Key of the circuit.
    public let circuit: String

    /// Time until a probe is allowed; `nil` while a probe is being handled.
    public let retryAfter: Duration?

    /// The instant at which a probe is allowed; `nil` while a probe is being handled.
    public let earliestRetry: ContinuousClock.Instant?

    /// The only code: `circuitOpen`.
    public var code: String { "circuitOpen" }

    /// A description of the error and its fix.
    public var message: String {
        """
        The circuit '\(circuit)' is open after failures, so '\(messageType)' wasn't handled. To fix, send it again \
        \(retryAfter.map { "in \($0)" } ?? "later"), and find the cause of the failures.
        """
    }

    init(
        _ context: MessageContext, circuit: String, now: ContinuousClock.Instant, earliest: ContinuousClock.Instant?
    ) {
        messageType = context.typeName
        self.circuit = circuit
        retryAfter = earliest.map { now.duration(to: $0) }
        earliestRetry = earliest
    }
}

extension CircuitBreakerError: RetryableError {
    /// Always true, because the message wasn't handled.
    public var isRetryable: Bool { true }
}
