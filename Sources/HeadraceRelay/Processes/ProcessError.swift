// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import HeadraceDomain

/// An error of a reaction of a process.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct ProcessError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<ProcessError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    static func undeclared(_ command: Any.Type, of process: Any.Type) -> ProcessError {
        ProcessError(
            code: .undeclaredCommand,
            message: """
                '\(String(naming: process))' sends '\(String(naming: command))', which it doesn't declare. To fix, add \
                '\(String(naming: command)).self' to its 'commands'.
                """
        )
    }

    static func notDelivered(_ process: Any.Type) -> ProcessError {
        ProcessError(
            code: .notDelivered,
            message: """
                An event has reached '\(String(naming: process))' without a relay. To fix, raise the event in a unit of work on \
                a store that conforms to 'DeliveryStore', and run a 'Relay' on it.
                """
        )
    }
}

extension ErrorCode<ProcessError> {
    /// A reaction sends a command that the process doesn't declare.
    public static var undeclaredCommand: Self { Self() }

    /// An event has reached the process without a relay, so its effect can't be stored exactly once.
    public static var notDelivered: Self { Self() }
}
