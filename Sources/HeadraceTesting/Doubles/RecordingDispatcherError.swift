// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error of a ``RecordingDispatcher``.
///
/// Errors of stubs aren't wrapped.
public struct RecordingDispatcherError: CodedError {
    /// Whether a stub was missing, or a requirement wasn't met.
    public typealias Code = ErrorCode<RecordingDispatcherError>

    /// The reason of the error.
    public let code: Code

    /// A description of the error and its fix.
    public let message: String

    static func noStub(for message: Any.Type, answer: String) -> RecordingDispatcherError {
        RecordingDispatcherError(
            code: .noStub,
            message: """
                '\(String(naming: message))' was dispatched without a stub. To fix, call \
                'dispatcher.stub(\(message).self) \(answer)' first.
                """
        )
    }

    static func unmet(_ requirement: String, _ messages: [any Sendable]) -> RecordingDispatcherError {
        let texts = messages.map { String(reflecting: $0).withoutTypeAddresses }
        let list = texts.enumerated().map { "\n  \($0 + 1). \($1)" }.joined()
        return RecordingDispatcherError(
            code: .unmetRequirement,
            message: """
                Required: \(requirement). Dispatched:\(messages.isEmpty ? " nothing." : list)
                """
        )
    }
}

extension ErrorCode<RecordingDispatcherError> {
    /// A query, or a command with a result, was dispatched without a stub.
    public static var noStub: Self { Self() }

    /// The dispatched messages differ from the required messages.
    public static var unmetRequirement: Self { Self() }
}
