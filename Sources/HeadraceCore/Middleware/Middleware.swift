// SPDX-License-Identifier: Apache-2.0

/// Code that runs around the handlers of messages of every kind.
///
/// ```swift
/// struct Announcing: Middleware {
///     nonisolated(nonsending) func handle<Message: Sendable, Output>(
///         _ message: Message,
///         in context: MessageContext,
///         next: Next<Message, Output>
///     ) async throws -> Output {
///         print("handling \(context.typeName)")
///         return try await next(message)
///     }
/// }
/// ```
///
/// The middleware registered first is the outermost: it receives a message first and its outcome last. It can refuse
/// a message by throwing an error, or call `next` once or several times.
public protocol Middleware: Sendable {
    /// Handles `message`, usually by calling `next` with it.
    ///
    /// It runs in the task and on the actor of the sender. `MessageContext.current` is `context`.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - context: The metadata of the message.
    ///   - next: The rest of the chain: the inner middleware, then the handler.
    /// - Returns: The output of `next`.
    /// - Throws: The errors of `next`, or the reason for a refusal. The sender receives the error unwrapped.
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output
}
