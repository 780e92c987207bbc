//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

extension MessageContext {
    /// How often handling the message was begun, this time included, counting from 1.
    ///
    /// ``RetryMiddleware`` counts, and so does a relay that delivers stored events; without, it is 1. It tells of the message that this task is handling.
    public var attempt: Int {
        guard let attempt = Self.attempt, attempt.messageID == id else { return 1 }
        return attempt.number
    }

    @TaskLocal private static var attempt: Attempt?

    private struct Attempt: Sendable {
        let messageID: UUID
        let number: Int
    }

    /// Runs `operation` as attempt `number` at the message.
    package nonisolated(nonsending) func asAttempt<Result>(
        _ number: Int,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await Self.$attempt.binding(Attempt(messageID: id, number: number), operation)
    }
}
