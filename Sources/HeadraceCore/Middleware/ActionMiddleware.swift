// SPDX-License-Identifier: Apache-2.0

/// Synchronous middleware with three methods: before the decision, before the handler, and after the handler.
///
/// ```swift
/// struct ReadOnly: ActionMiddleware {
///     func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool {
///         message is any Reading
///     }
/// }
/// ```
///
/// All three methods are optional. Synchronous actions, which take effect within the call that sends them, support
/// only this kind of middleware. Other messages support it wherever they support ``Middleware``. The middleware
/// registered first is the outermost: its ``shouldExecute(_:in:)`` is called first, and its
/// ``didExecute(_:in:outcome:)`` last.
public protocol ActionMiddleware: Middleware {
    /// Returns whether `message` may be handled.
    ///
    /// If not, the caller receives a ``MessageError`` with the code `MessageError.Code.refused`.
    func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool

    /// Called before `message` is handled.
    func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext)

    /// Called when the handling of `message` has ended, once for each call of ``willExecute(_:in:)``.
    func didExecute<Message: Sendable>(_ message: Message, in context: MessageContext, outcome: MessageOutcome)
}

extension ActionMiddleware {
    /// Returns true.
    @inlinable
    public func shouldExecute<Message: Sendable>(_ message: Message, in context: MessageContext) -> Bool { true }

    /// Does nothing.
    @inlinable
    public func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) {}

    /// Does nothing.
    @inlinable
    public func didExecute<Message: Sendable>(
        _ message: Message,
        in context: MessageContext,
        outcome: MessageOutcome
    ) {}

    /// Calls the three methods around `next`.
    ///
    /// - Throws: ``MessageError`` with the code `MessageError.Code.refused`; the errors of `next`.
    @inlinable
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        guard shouldExecute(message, in: context) else { throw MessageError.refused(context, by: Self.self) }
        willExecute(message, in: context)
        do {
            let output = try await next(message)
            didExecute(message, in: context, outcome: .success)
            return output
        } catch {
            didExecute(message, in: context, outcome: .failure(error))
            throw error
        }
    }
}

extension MessageError {
    /// Returns the error for a message that `middleware` has refused.
    @usableFromInline
    package static func refused(_ context: MessageContext, by middleware: any ActionMiddleware.Type) -> MessageError {
        MessageError(
            code: .refused,
            message: """
                '\(context.typeName)' was refused by the middleware '\(middleware)', so it wasn't handled. \
                To fix, send it when the middleware allows it, or remove the middleware from the chain.
                """
        )
    }
}
