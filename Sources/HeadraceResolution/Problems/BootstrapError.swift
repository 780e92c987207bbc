// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error for a container whose objects couldn't be created at the start of the program.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct BootstrapError: CodedError {
    /// A reason, stable enough to branch on.
    public typealias Code = ErrorCode<BootstrapError>

    /// The reason.
    public let code: Code

    /// Name of the type that couldn't be created, with its module; `nil` if no creation was tried.
    public let service: String?

    /// The error of the construction; `nil` if it was too slow without an error.
    public let cause: (any Error)?

    /// The reason and the fix.
    public let message: String

    private init(_ code: Code, service: String? = nil, cause: (any Error)? = nil, _ message: String) {
        self.code = code
        self.service = service
        self.cause = cause
        self.message = message
    }

    static func failed(_ service: String, _ cause: any Error) -> BootstrapError {
        BootstrapError(
            .failed,
            service: service,
            cause: cause,
            """
            '\(service)' couldn't be created, and the objects that were created before it were shut down: \(cause). \
            To fix, correct the cause, then start again with a new container.
            """
        )
    }

    static func timedOut(_ service: String, _ limit: Duration, _ cause: (any Error)?) -> BootstrapError {
        BootstrapError(
            .timedOut,
            service: service,
            cause: cause,
            """
            '\(service)' wasn't created in \(limit), and the objects that were created before it were shut down. \
            To fix, make its construction faster, or raise its time-out.
            """
        )
    }

    static var running: BootstrapError {
        BootstrapError(
            .running, "Another task is creating the objects of the container. To fix, call 'bootstrap()' once.")
    }

    static var closed: BootstrapError {
        BootstrapError(
            .closed,
            "The container has failed to start, or was shut down. To fix, build a new container, and start that.")
    }
}

extension ErrorCode<BootstrapError> {
    /// The construction of an object failed.
    public static var failed: Self { Self() }

    /// The construction of an object took longer than its time-out.
    public static var timedOut: Self { Self() }

    /// Another task is creating the objects.
    public static var running: Self { Self() }

    /// An earlier call failed, or the container was shut down.
    public static var closed: Self { Self() }
}
