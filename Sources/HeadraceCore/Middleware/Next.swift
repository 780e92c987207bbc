// SPDX-License-Identifier: Apache-2.0

/// The rest of the chain: the inner middleware, then the handler.
///
/// ```swift
/// let output = try await next(message)
/// ```
///
/// Call it like a function. It is a struct, because a closure would cost two more calls for each middleware. To test a
/// middleware in isolation, create a `Next` from a handler.
public struct Next<Message: Sendable, Output> {
    @usableFromInline let invocation: MiddlewareInvocation<Message, Output>

    /// Index of the next middleware; the number of middleware for the handler.
    @usableFromInline let index: Int

    /// Creates a chain without middleware, for a message with `context`.
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

    /// Handles `message` by the rest of the chain.
    ///
    /// It runs in the task and on the actor of the caller. A middleware can call it any number of times, but only
    /// until the middleware returns.
    ///
    /// - Throws: The errors of the inner middleware and the handler, unwrapped.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func callAsFunction(_ message: Message) async throws -> Output {
        guard index < invocation.middleware.count else { return try await invocation.handler(message) }
        return try await invocation.middleware[index].handle(
            message, in: invocation.context, next: Next(invocation, from: index + 1))
    }
}
