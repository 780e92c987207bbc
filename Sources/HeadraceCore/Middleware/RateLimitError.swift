//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A message was refused because too many were sent; tells when it would not be.
public struct RateLimitError: CodedError {
    /// The name of the message's type, with its module.
    public let messageType: String

    /// How long to wait until one is handled again, if no other comes first.
    public let retryAfter: Duration

    /// The same as an instant of the clock.
    public let earliestRetry: ContinuousClock.Instant?

    /// The only code: `rateLimited`.
    public var code: String { "rateLimited" }

    /// What happened and how to fix it.
    public var message: String {
        """
        Too many messages were sent: '\(messageType)' was not handled. To fix, send it again in \(retryAfter), or \
        allow more.
        """
    }

    init(_ context: MessageContext, now: ContinuousClock.Instant, earliest: ContinuousClock.Instant) {
        messageType = context.typeName
        retryAfter = now.duration(to: earliest)
        earliestRetry = earliest
    }
}

extension RateLimitError: RetryableError {
    /// It may: nothing was done.
    public var isRetryable: Bool { true }
}
