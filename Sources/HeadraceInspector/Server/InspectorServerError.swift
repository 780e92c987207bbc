// SPDX-License-Identifier: Apache-2.0

#if Inspector
public import HeadraceCore

/// An error at the start of an ``InspectorServer``.
///
/// Branch on ``code``, log ``message``. Minor releases can add codes.
public struct InspectorServerError: CodedError {
    /// The reason of the error, stable enough to branch on.
    public typealias Code = ErrorCode<InspectorServerError>

    /// The reason of the error.
    public let code: Code

    /// A description of the error and its fix.
    public let message: String

    /// The error of the operating system, if there is one.
    public let cause: (any Error)?

    static let alreadyRunning = InspectorServerError(
        code: .alreadyRunning,
        message: "The inspector's server is already running. To fix, start it once, or stop it first.",
        cause: nil
    )

    static func cannotListen(on port: UInt16, _ cause: any Error) -> InspectorServerError {
        InspectorServerError(
            code: .cannotListen,
            message: """
                The inspector cannot listen on port \(port) of 127.0.0.1: \(cause). To fix, choose another port, or 0 for a \
                free port.
                """,
            cause: cause
        )
    }
}

extension ErrorCode<InspectorServerError> {
    /// The server is already running.
    public static var alreadyRunning: Self { Self() }

    /// The port is in use, or the process isn't allowed to use it.
    public static var cannotListen: Self { Self() }
}
#endif
