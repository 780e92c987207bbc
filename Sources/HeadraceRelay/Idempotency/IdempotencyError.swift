// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error of a command with an idempotency key.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct IdempotencyError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<IdempotencyError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    /// The underlying error, if there is one.
    public let cause: (any Error)?

    private init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension IdempotencyError {
    static func differentCommand(_ key: String, _ context: MessageContext) -> IdempotencyError {
        IdempotencyError(
            .differentCommand,
            """
            Under the key '\(key)' another command has taken effect, or a '\(context.typeName)' with other content. \
            This command was not handled. To fix, use a unique key for each command.
            """
        )
    }

    static func recursive(_ key: String, _ context: MessageContext) -> IdempotencyError {
        IdempotencyError(
            .recursive,
            """
            '\(context.typeName)' was sent under the key '\(key)' by the handler of a command with that key, which \
            would be a deadlock. It was not handled. To fix, use a unique key for each command.
            """
        )
    }

    static func notCodable(_ what: String, _ context: MessageContext) -> IdempotencyError {
        IdempotencyError(
            .notCodable,
            """
            '\(context.typeName)' has an idempotency key, but \(what). It was not handled. To fix, add the \
            conformance, or send it without a key.
            """
        )
    }

    static func undecodableOutcome(_ key: String, as type: Any.Type, cause: any Error) -> IdempotencyError {
        IdempotencyError(
            .undecodableOutcome,
            """
            The stored outcome of the key '\(key)' does not decode as '\(String(naming: type))': \(cause). \
            The command has taken effect; it was not handled again. To fix, make the type decode the stored JSON.
            """,
            cause: cause
        )
    }
}

extension ErrorCode<IdempotencyError> {
    /// Another command has taken effect under the key.
    public static var differentCommand: Self { Self() }

    /// The handler of the command has sent a command with the same key.
    public static var recursive: Self { Self() }

    /// The command can't be encoded, or its return type can't be encoded and decoded.
    public static var notCodable: Self { Self() }

    /// The stored outcome can't be decoded as the current return type of the command.
    public static var undecodableOutcome: Self { Self() }
}
