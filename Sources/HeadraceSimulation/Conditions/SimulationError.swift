// SPDX-License-Identifier: Apache-2.0

#if Simulations
public import HeadraceCore

/// An error of the simulated network, of an outside service, or of a simulation.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct SimulationError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<SimulationError>

    /// The kind of error.
    public let code: Code

    /// The error, and how to fix it if the program made a mistake.
    public let message: String

    /// The underlying error, if there is one.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension SimulationError: RetryableError {
    /// Whether nothing has taken effect, so that a retry is safe.
    public var isRetryable: Bool { [.refused, .unavailable].contains(code) }
}

extension ErrorCode<SimulationError> {
    /// The node doesn't run, so that it has not received the request.
    public static var refused: Self { Self() }

    /// No answer came in time: the request may have taken effect.
    public static var timedOut: Self { Self() }

    /// An outside service has failed before its effect.
    public static var unavailable: Self { Self() }

    /// A check of the simulation has failed.
    public static var violated: Self { Self() }

    /// The simulation can't repeat its runs.
    public static var notRepeatable: Self { Self() }
}
#endif
