// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Refuses messages that exceed a rate limit.
///
/// ```swift
/// RateLimitMiddleware(100, every: .seconds(60), burst: 20, per: .principal)
/// ```
///
/// Each key has a token bucket, and the burst is its size. A message takes a token. The bucket receives `count`
/// tokens in each interval, at equal distances. If the bucket is empty, the message is refused and takes no token.
///
/// The number of buckets is limited. When the limit is exceeded, full buckets are removed, which has no effect. If
/// that isn't enough, the buckets that will be full soonest are removed, and a few messages too many can pass.
public struct RateLimitMiddleware: Middleware {
    /// The messages that share a limit.
    public struct Key: Hashable, Sendable {
        fileprivate let hasType: Bool
        fileprivate let hasPrincipal: Bool

        /// Messages of the same type.
        public static let messageType = Key(hasType: true, hasPrincipal: false)

        /// Messages with the same principal ID.
        ///
        /// All messages without a principal share a limit.
        public static let principal = Key(hasType: false, hasPrincipal: true)

        /// Messages of the same type with the same principal ID.
        public static let messageTypeAndPrincipal = Key(hasType: true, hasPrincipal: true)
    }

    private let key: Key
    private let clock: any TimeSource
    private let buckets: SharedBuckets

    /// Creates middleware that allows `count` messages in each `interval`.
    ///
    /// - Parameters:
    ///   - count: Average number of messages in each interval, at least 1.
    ///   - interval: Length of the interval, greater than zero.
    ///   - burst: Maximum number of messages at once after a pause, at least 1; `count` by default.
    ///   - key: The messages that share a limit.
    ///   - maximumKeys: Maximum number of buckets, at least 1.
    ///   - clock: The clock that refills the buckets.
    public init(
        _ count: Int,
        every interval: Duration,
        burst: Int? = nil,
        per key: Key = .messageType,
        maximumKeys: Int = 10_000,
        clock: any TimeSource = ContinuousClock()
    ) {
        precondition(
            count >= 1 && interval > .zero,
            "The rate limit allows no message. To fix, pass a count of at least 1 and an interval greater than zero.")
        precondition(burst ?? count >= 1, "The burst of the rate limit is less than 1. To fix, pass 1 or more.")
        precondition(maximumKeys >= 1, "The number of keys of the rate limit is less than 1. To fix, pass 1 or more.")
        self.key = key
        self.clock = clock
        buckets = SharedBuckets(
            TokenBuckets(size: burst ?? count, interval: interval / count, maximumCount: maximumKeys)
        )
    }

    /// Handles `message` unless it exceeds the limit.
    ///
    /// - Throws: ``RateLimitError`` if it exceeds the limit; the errors of `next`.
    public nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        let bucket = BucketKey(
            type: key.hasType ? ObjectIdentifier(Message.self) : nil,
            principalID: key.hasPrincipal ? context.principal?.principalID : nil
        )
        let now = clock.now
        if let earliest = buckets.take(bucket, at: now) {
            throw RateLimitError(context, now: now, earliest: earliest)
        }
        return try await next(message)
    }
}

private struct BucketKey: Hashable, Sendable {
    let type: ObjectIdentifier?
    let principalID: String?
}

private final class SharedBuckets: Sendable {
    private let buckets: Mutex<TokenBuckets<BucketKey>>

    init(_ buckets: TokenBuckets<BucketKey>) {
        self.buckets = Mutex(buckets)
    }

    func take(_ key: BucketKey, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        buckets.withLock { $0.take(key, at: now) }
    }
}
