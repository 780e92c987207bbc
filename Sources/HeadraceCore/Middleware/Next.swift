//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rest of the chain: the middleware that follows, and at the end the handler.
///
/// ```swift
/// let output = try await next(message)
/// ```
///
/// It is called like a function. It is a value and no closure, because a closure would cost each middleware two more
/// calls. To test a middleware by itself, make one out of the handler that it is to lead to.
public struct Next<Message: Sendable, Output> {
    @usableFromInline let invocation: MiddlewareInvocation<Message, Output>

    /// The index of the middleware that is called next; behind the last one is the handler.
    @usableFromInline let index: Int

    /// Creates a chain that leads to `handler` at once, for a message in `context`.
    public init(
        in context: MessageContext,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) {
        self.init(MiddlewareInvocation(through: [], context: context, handler: handler), from: 0)
    }

    @inlinable
    init(_ invocation: MiddlewareInvocation<Message, Output>, from index: Int) {
        self.invocation = invocation
        self.index = index
    }

    /// Handles `message`; what calls it may do so several times, or not at all.
    ///
    /// It runs in the task and on the actor of the caller. Call it while the message is being handled, not later.
    ///
    /// - Throws: What the middleware that follows throws, and the handler, unwrapped.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func callAsFunction(_ message: Message) async throws -> Output {
        guard index < invocation.middleware.count else { return try await invocation.handler(message) }
        return try await invocation.middleware[index].handle(
            message, in: invocation.context, next: Next(invocation, from: index + 1))
    }
}
