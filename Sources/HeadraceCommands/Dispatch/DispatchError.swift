// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An error of the dispatcher itself, not of a handler.
///
/// Branch on ``code``, and log ``message``. Later releases may add codes.
public struct DispatchError: CodedError {
    /// A stable code of the error.
    public typealias Code = ErrorCode<DispatchError>

    /// The code of the error.
    public let code: Code

    /// A sentence about the error, and a sentence about its fix.
    public let message: String

    static func noHandler(for message: Any.Type, in list: HandlerList) -> DispatchError {
        DispatchError(
            code: .noHandler,
            message: """
                No handler is registered for '\(String(naming: message))'. To fix, add the type that handles it to \
                '\(list): […]' of 'commandQueryDispatch().standard(…)'.
                """
        )
    }

    static func noResults(for message: Any.Type, of dispatcher: Any.Type) -> DispatchError {
        DispatchError(
            code: .noHandler,
            message: """
                '\(String(naming: dispatcher))' doesn't support commands with a result, so it can't dispatch \
                '\(String(naming: message))'. To fix, implement its \
                'dispatch<T: CQDCommand>(_ command: T) async throws -> T.Output'.
                """
        )
    }

    static func noNotifications(for message: Any.Type, of dispatcher: Any.Type) -> DispatchError {
        DispatchError(
            code: .noHandler,
            message: """
                '\(String(naming: dispatcher))' doesn't support notifications, so it can't publish \
                '\(String(naming: message))'. To fix, implement its \
                'publish<T: CQDNotification>(_ notification: T, _ policy: PublicationPolicy) async throws'.
                """
        )
    }

    static func noStreams(for message: Any.Type, of dispatcher: Any.Type) -> DispatchError {
        DispatchError(
            code: .noHandler,
            message: """
                '\(String(naming: dispatcher))' doesn't support stream queries, so it can't dispatch \
                '\(String(naming: message))'. To fix, implement its \
                'dispatch<T: CQDStreamQuery>(_ query: T) async throws -> QueryStream<T.Element>'.
                """
        )
    }
}

extension ErrorCode<DispatchError> {
    /// No handler is registered for the type of the message.
    public static var noHandler: Self { Self() }
}
