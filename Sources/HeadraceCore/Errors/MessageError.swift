// SPDX-License-Identifier: Apache-2.0

/// An error for a message that was refused before its handler ran.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct MessageError: CodedError {
    /// The reason for the refusal, stable enough to branch on.
    public typealias Code = ErrorCode<MessageError>

    /// The reason for the refusal.
    public let code: Code

    /// A description of the error and its fix, in one sentence each.
    public let message: String

    static func deadlineExceeded(_ context: MessageContext, by duration: Duration) -> MessageError {
        MessageError(
            code: .deadlineExceeded,
            message: """
                The deadline of '\(context.typeName)' passed \(duration) before the message could be handled, so it \
                wasn't handled. To fix, allow more time, or send fewer messages at once.
                """
        )
    }
}

extension ErrorCode<MessageError> {
    /// The deadline of the message has passed.
    public static var deadlineExceeded: Self { Self() }

    /// A middleware has refused the message.
    public static var refused: Self { Self() }
}
