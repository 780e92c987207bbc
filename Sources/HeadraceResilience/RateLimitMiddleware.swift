// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
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
        clock: any TimeSource = CurrentClock()
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

/// A token bucket for each key, refilled at a constant rate.
///
/// Pure: the caller passes the time. A bucket is stored as the instant at which it is full again. Full buckets aren't
/// stored.
///
/// Source: the virtual scheduling algorithm of ITU-T I.371, <https://www.itu.int/rec/T-REC-I.371>; known as GCRA.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// Time until the bucket receives a token.
    private let interval: Duration

    /// Time to fill a bucket that contains one token.
    private let tolerance: Duration

    private let maximumCount: Int

    /// A bucket that isn't full.
    private struct Bucket {
        /// The instant at which the bucket is full again.
        let full: ContinuousClock.Instant

        /// Number of its last token, counting all buckets.
        let number: UInt64
    }

    private var buckets: [Key: Bucket] = [:]

    private var lastNumber: UInt64 = 0

    /// Number of stored buckets.
    var count: Int { buckets.count }

    /// Creates full buckets of `size` tokens each, which receive a token every `interval`.
    init(size: Int, interval: Duration, maximumCount: Int) {
        self.interval = interval
        self.maximumCount = maximumCount
        tolerance = interval * (size - 1)
    }

    /// Takes a token of `key` at `now`.
    ///
    /// - Returns: `nil` if a token was taken; the instant of the next token if the bucket is empty.
    /// - Complexity: O(1), and O(*n* log *n*) in the number of buckets when buckets are removed, which happens once
    ///   for each quarter of new buckets.
    mutating func take(_ key: Key, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let full = max(buckets[key]?.full ?? now, now)
        let earliest = full.advanced(by: .zero - tolerance)
        if earliest > now { return earliest }
        lastNumber += 1
        buckets[key] = Bucket(full: full.advanced(by: interval), number: lastNumber)
        if buckets.count > maximumCount { forget(at: now) }
        return nil
    }

    /// Removes full buckets and, if that isn't enough, the buckets that will be full soonest.
    ///
    /// It removes a quarter at once, so that it runs rarely. The emptiest buckets remain longest, and of equal ones, the last used.
    private mutating func forget(at now: ContinuousClock.Instant) {
        let kept = max(1, maximumCount - maximumCount / 4)
        buckets = buckets.filter { $0.value.full > now }
        if buckets.count <= kept { return }
        let latest = buckets.sorted { ($0.value.full, $0.value.number) > ($1.value.full, $1.value.number) }.prefix(kept)
        buckets = Dictionary(uniqueKeysWithValues: latest.map { ($0.key, $0.value) })
    }
}

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
