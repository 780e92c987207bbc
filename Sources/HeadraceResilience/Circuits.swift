// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The circuits of a circuit breaker, by key.
///
/// A pure state machine: the caller passes the time.
struct Circuits {
    /// The state of a circuit with failures.
    private struct Circuit {
        var failureCount = 0

        /// The instant at which a probe is allowed; `nil` if the circuit is closed.
        var probeTime: ContinuousClock.Instant?

        /// Whether a probe is being handled.
        var isProbing = false

        /// Number of the period between two changes of the state.
        var period = 0
    }

    /// The permission to handle a message.
    struct Admission: Equatable {
        let isProbe: Bool

        /// The period in which the message was admitted.
        let period: Int
    }

    enum Decision: Equatable {
        case admitted(Admission)

        /// The circuit is open until this instant; `nil` if a probe is being handled.
        case refused(until: ContinuousClock.Instant?)
    }

    enum Outcome { case success, failure, unknown }

    private let failureLimit: Int
    private let pause: Duration
    private var circuits: [MessageGroupKey: Circuit] = [:]
    private var lastPeriod = 0

    /// Creates closed circuits, which open after `failureLimit` consecutive failures, for `pause`.
    init(failureLimit: Int, pause: Duration) {
        self.failureLimit = failureLimit
        self.pause = pause
    }

    /// The state of each circuit that has failures.
    var states: [MessageGroupKey: CircuitState] {
        circuits.mapValues { Self.state(of: $0) }
    }

    /// Decides whether a message may be handled at `now`.
    mutating func admit(_ key: MessageGroupKey, at now: ContinuousClock.Instant) -> Decision {
        guard var circuit = circuits[key] else { return .admitted(Admission(isProbe: false, period: 0)) }
        guard let probeTime = circuit.probeTime else {
            return .admitted(Admission(isProbe: false, period: circuit.period))
        }
        if circuit.isProbing { return .refused(until: nil) }
        if now < probeTime { return .refused(until: probeTime) }
        circuit.isProbing = true
        circuits[key] = circuit
        return .admitted(Admission(isProbe: true, period: circuit.period))
    }

    /// Records the outcome of a message that was admitted.
    ///
    /// - Returns: The new state, if it has changed.
    mutating func end(
        _ admission: Admission,
        of key: MessageGroupKey,
        _ outcome: Outcome,
        at now: ContinuousClock.Instant
    ) -> CircuitState? {
        let known = circuits[key]
        if known == nil && outcome == .success { return nil }
        var circuit = known ?? Circuit()
        // A message that began before the last change tells nothing about the present.
        guard circuit.period == admission.period else { return nil }
        if admission.isProbe { circuit.isProbing = false }
        switch outcome {
        case .unknown:
            if known != nil { circuits[key] = circuit }
            return admission.isProbe ? .open : nil
        case .success:
            guard admission.isProbe else {
                // Without failures, a closed circuit needs no entry, unless messages of an earlier period may still end.
                if circuit.period == 0 { circuits[key] = nil } else { circuits[key]?.failureCount = 0 }
                return nil
            }
            circuits[key] = Circuit(period: nextPeriod())
            return .closed
        case .failure:
            circuit.failureCount += 1
            guard admission.isProbe || circuit.failureCount >= failureLimit else {
                circuits[key] = circuit
                return nil
            }
            circuits[key] = Circuit(probeTime: now.advanced(by: pause), period: nextPeriod())
            return .open
        }
    }

    private mutating func nextPeriod() -> Int {
        lastPeriod += 1
        return lastPeriod
    }

    private static func state(of circuit: Circuit) -> CircuitState {
        if circuit.isProbing { return .halfOpen }
        return circuit.probeTime == nil ? .closed : .open
    }
}

/// The state of a circuit.
public enum CircuitState: String, Sendable {
    /// Messages are handled.
    case closed

    /// Messages are refused.
    case open

    /// One message is being handled, as a probe. Other messages are refused.
    case halfOpen
}
