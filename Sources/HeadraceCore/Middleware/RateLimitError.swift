// SPDX-License-Identifier: Apache-2.0

/// An error for a message that exceeds a rate limit.
public struct RateLimitError: CodedError {
    /// Name of the message's type, with its module.
    public let messageType: String

    /// Time until the next message is allowed, if no other message is sent first.
    public let retryAfter: Duration

    /// The instant at which the next message is allowed.
    public let earliestRetry: ContinuousClock.Instant?

    /// The only code: `rateLimited`.
    public var code: String { "rateLimited" }

    /// A description of the error and its fix.
    public var message: String {
        """
        Too many messages were sent, so '\(messageType)' wasn't handled. To fix, send it again in \(retryAfter), or \
        raise the limit.
        """
    }

    init(_ context: MessageContext, now: ContinuousClock.Instant, earliest: ContinuousClock.Instant) {
        messageType = context.typeName
        retryAfter = now.duration(to: earliest)
        earliestRetry = earliest
    }
}

extension RateLimitError: RetryableError {
    /// Always true, because the message wasn't handled.
    public var isRetryable: Bool { true }
}
