// SPDX-License-Identifier: Apache-2.0

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
