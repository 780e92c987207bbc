// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import MiddlewareTestSupport

/// Notes the begin and the end of each message.
struct Noting: Middleware {
    let name: String
    let journal: Journal

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        journal.note("\(name) begins")
        defer { journal.note("\(name) ends") }
        return try await next(message)
    }
}
