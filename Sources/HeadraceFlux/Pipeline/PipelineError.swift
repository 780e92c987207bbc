// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// The reason why an action wasn't executed, or why a wait would be a deadlock.
///
/// Branch on ``code-swift.property``, and log ``message``. Later releases may add codes.
public struct PipelineError: CodedError {
    /// A stable code of the error.
    public typealias Code = ErrorCode<PipelineError>

    /// The code of the error.
    public let code: Code

    /// A sentence about the error, and a sentence about its fix.
    public let message: String

    static func full(limit: Int) -> PipelineError {
        PipelineError(
            code: .full,
            message: """
                The queued action was rejected, because \(limit) actions wait, which is the limit of the pipeline. To fix, \
                await the action, raise the limit, or choose another overflow policy.
                """
        )
    }

    static func dropped(limit: Int) -> PipelineError {
        PipelineError(
            code: .dropped,
            message: """
                The action was dropped, because \(limit) actions waited, which is the limit of the pipeline. To fix, \
                dispatch fewer actions, or raise the limit.
                """
        )
    }

    static let shutDown = PipelineError(
        code: .shutDown,
        message: "The dispatcher was shut down before the action ran. To fix, dispatch the action before the shutdown."
    )

    static let released = PipelineError(
        code: .released,
        message: """
            The dispatcher was released while it was paused, before the action ran. To fix, activate and drain the \
            dispatcher, or shut it down, before you release it.
            """
    )

    /// The error of a task whose wait would close `circle`.
    static func deadlock(_ circle: [WaitLink]) -> PipelineError {
        let remedy =
            circle.contains(where: \.isDrain)
            ? "drain or shut down a dispatcher after the action has ended."
            : "queue one of these actions instead of awaiting it, or await it after the other action has ended."
        return PipelineError(
            code: .deadlock,
            message: """
                The wait would be a deadlock: \(circle.map(\.description).joined(separator: ", and ")). To fix, \(remedy)
                """
        )
    }
}

extension ErrorCode<PipelineError> {
    /// The limit is reached, and the rejected action is a queued action.
    public static var full: Self { Self() }

    /// The limit is reached, and the action was dropped in favor of another action.
    public static var dropped: Self { Self() }

    /// The dispatcher was shut down.
    public static var shutDown: Self { Self() }

    /// The dispatcher was released while it was paused.
    public static var released: Self { Self() }

    /// Actions would wait for each other forever, which only debug builds notice, or an action would wait for itself.
    public static var deadlock: Self { Self() }
}
