// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import Measuring

/// Returns `count` middleware that do as little as middleware can do.
public func passThroughMiddleware(_ count: Int) -> [any Middleware] {
    Array(repeating: PassThrough(), count: count)
}

/// Returns `count` synchronous middleware that do as little as synchronous middleware can do.
public func synchronousMiddleware(_ count: Int) -> [any Middleware] {
    Array(repeating: Synchronous(), count: count)
}

struct Synchronous: ActionMiddleware {
    @inline(never)
    func willExecute<Message: Sendable>(_ message: Message, in context: MessageContext) {
        consume(1)
    }
}

struct PassThrough: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        try await next(message)
    }
}
