// SPDX-License-Identifier: Apache-2.0

/// One pass of a message through the chain: all middleware, the context, and the handler.
@usableFromInline
final class MiddlewareInvocation<Message: Sendable, Output> {
    @usableFromInline let middleware: [any Middleware]
    @usableFromInline let context: MessageContext
    @usableFromInline let handler: nonisolated(nonsending) (Message) async throws -> Output

    @inlinable
    init(
        through middleware: [any Middleware],
        context: MessageContext,
        handler: nonisolated(nonsending) @escaping (Message) async throws -> Output
    ) {
        self.middleware = middleware
        self.context = context
        self.handler = handler
    }
}
