//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// As many middlewares as one wants, each of which does the least that middleware can do.
public func passThroughMiddleware(_ count: Int) -> [any Middleware] {
    Array(repeating: PassThrough(), count: count)
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
