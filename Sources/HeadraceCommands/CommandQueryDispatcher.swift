// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// Dispatches each command and each query to its handler.
///
/// Register the standard dispatcher with ``CommandQueryDispatchRegistration`` and resolve it, or register your own type:
///
/// ```swift
/// let dispatcher: any CommandQueryDispatcher = container.resolve()
/// try await dispatcher.dispatch(AddSomethingCommand(name: "one"))
/// let info = try await dispatcher.dispatch(GetInfoQuery(subject: "Programming"))
/// ```
///
/// A notification goes to any number of handlers: ``publish(_:_:)``.
///
/// A type of your own implements the first and the third requirement. The others have default implementations.
public protocol CommandQueryDispatcher: Sendable {
    /// Dispatches `command` to its handler, and returns after the handler has returned.
    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws where T: CQDCommand, T.Output == Void

    /// Dispatches `command` to its handler, and returns the result that the handler returns.
    ///
    /// The default implementation throws ``DispatchError`` with the code `DispatchError.Code.noHandler`, unless the
    /// command has no result. A command without a result goes to the requirement for those.
    @discardableResult
    nonisolated(nonsending) func dispatch<T>(_ command: T) async throws -> T.Output where T: CQDCommand

    /// Dispatches `query` to its handler, and returns the value that the handler returns.
    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery

    /// Dispatches `query` to its handler, and returns the stream that the handler returns.
    ///
    /// The default implementation throws ``DispatchError`` with the code `DispatchError.Code.noHandler`.
    nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery

    /// Publishes `notification` to all its handlers, and returns after all of them have ended.
    ///
    /// A notification without a handler is no error. The middleware of the dispatcher wraps the publication as a whole.
    ///
    /// The default implementation throws ``DispatchError`` with the code `DispatchError.Code.noHandler`.
    ///
    /// - Parameters:
    ///   - notification: The notification.
    ///   - policy: The order of the handlers, and the consequence of an error.
    /// - Throws: ``PublicationError`` with all failures, or the first failure, depending on `policy`; `CancellationError`.
    nonisolated(nonsending) func publish<T>(_ notification: T, _ policy: PublicationPolicy) async throws
    where T: CQDNotification
}

extension CommandQueryDispatcher {
    /// Publishes `notification` to all its handlers, one after the other; see ``PublicationPolicy/inOrder``.
    ///
    /// - Throws: ``PublicationError`` with all failures; `CancellationError`.
    public nonisolated(nonsending) func publish<T>(_ notification: T) async throws where T: CQDNotification {
        try await publish(notification, .inOrder)
    }

    /// Throws an error, because the dispatcher doesn't support notifications.
    ///
    /// - Throws: ``DispatchError`` with the code `DispatchError.Code.noHandler`.
    public nonisolated(nonsending) func publish<T>(_ notification: T, _ policy: PublicationPolicy) async throws
    where T: CQDNotification {
        throw DispatchError.noNotifications(for: T.self, of: Self.self)
    }

    /// Dispatches a command without a result, and throws an error for all others, because the dispatcher doesn't support
    /// results.
    ///
    /// Generic code calls it for commands without a result, too.
    ///
    /// - Throws: ``DispatchError`` with the code `DispatchError.Code.noHandler` if the command has a result.
    @discardableResult
    public nonisolated(nonsending) func dispatch<T>(_ command: T) async throws -> T.Output where T: CQDCommand {
        guard let plain = command as? any CQDCommand<Void>, let nothing = () as? T.Output else {
            throw DispatchError.noResults(for: T.self, of: Self.self)
        }
        try await dispatchPlain(plain)
        return nothing
    }

    private nonisolated(nonsending) func dispatchPlain<T: CQDCommand<Void>>(_ command: T) async throws {
        try await dispatch(command)
    }

    /// Throws an error, because the dispatcher doesn't support stream queries.
    ///
    /// - Throws: ``DispatchError`` with the code `DispatchError.Code.noHandler`.
    public nonisolated(nonsending) func dispatch<T>(_ query: T) async throws -> QueryStream<T.Element>
    where T: CQDStreamQuery {
        throw DispatchError.noStreams(for: T.self, of: Self.self)
    }
}

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

    /// Creates an error of another dispatcher.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

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
