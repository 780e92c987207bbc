// SPDX-License-Identifier: Apache-2.0

import Foundation

extension MessageContext {
    /// Number of the current attempt to handle the message, counting from 1.
    ///
    /// ``RetryMiddleware`` and relays count attempts. Without them it is 1, as it is for a message that the task
    /// doesn't handle.
    public var attempt: Int {
        guard let attempt = Self.attempt, attempt.messageID == id else { return 1 }
        return attempt.number
    }

    @TaskLocal private static var attempt: Attempt?

    private struct Attempt: Sendable {
        let messageID: UUID
        let number: Int
    }

    /// Runs `operation` as the attempt with `number` to handle the message.
    package nonisolated(nonsending) func asAttempt<Result>(
        _ number: Int,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await Self.$attempt.binding(Attempt(messageID: id, number: number), operation)
    }
}
