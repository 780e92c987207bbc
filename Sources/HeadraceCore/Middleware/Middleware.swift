//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Wraps the handling of messages, whichever face of Headrace handles them.
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
/// Of several, the one registered first is the outermost: it sees a message first and its outcome last. It may
/// refuse a message by throwing, handle it by calling `next`, or do that several times.
public protocol Middleware: Sendable {
    /// Handles `message`, as a rule by calling `next` with it.
    ///
    /// It runs in the task and on the actor of whoever sent the message, and `MessageContext.current` is `context`.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - context: What is known of it.
    ///   - next: The rest of the way: the middleware that follows, in the end the handler.
    /// - Returns: What `next` returned.
    /// - Throws: What `next` throws, or the reason why the message is refused. Whoever sent it gets it unwrapped.
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output
}
