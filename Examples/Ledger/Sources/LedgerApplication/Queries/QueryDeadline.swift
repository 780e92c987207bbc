// SPDX-License-Identifier: Apache-2.0

import Headrace

/// Cancels queries at the deadline of their request, because nobody waits for their value any longer.
///
/// A command isn't cancelled: its changes may already be on their way to the store.
struct QueryDeadline: Middleware {
    private let timeout: TimeoutMiddleware

    init(clock: any TimeSource) {
        // The deadline of the request is earlier. Without a request, an hour is enough for each query.
        timeout = TimeoutMiddleware(.seconds(3_600), clock: clock)
    }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        if context.kind != .query || context.deadline == nil { return try await next(message) }
        return try await timeout.handle(message, in: context, next: next)
    }
}
