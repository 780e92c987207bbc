//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Refuses messages that come faster than allowed.
///
/// ```swift
/// RateLimitMiddleware(100, every: .seconds(60), burst: 20, per: .principal)
/// ```
///
/// Each key has a bucket of as many tokens as may come at once; a message takes one, and one comes back each time the
/// interval divided by the number allowed has passed. A message that finds none is refused, and takes nothing.
///
/// It remembers a limited number of keys. When there are more it forgets those that have their tokens back, which
/// changes nothing, and then those that will have them soonest: a few messages too many may then pass.
public struct RateLimitMiddleware: Middleware {
    /// Which messages are counted together.
    public struct Key: Hashable, Sendable {
        fileprivate let hasType: Bool
        fileprivate let hasPrincipal: Bool

        /// Those of one type.
        public static let messageType = Key(hasType: true, hasPrincipal: false)

        /// Those of one principal, told by its identifier; those of nobody are of one too.
        public static let principal = Key(hasType: false, hasPrincipal: true)

        /// Those of one type and one principal.
        public static let messageTypeAndPrincipal = Key(hasType: true, hasPrincipal: true)
    }

    private let key: Key
    private let clock: any TimeSource
    private let buckets: SharedBuckets

    /// Creates middleware that lets `count` messages through in each `interval`, more than zero.
    ///
    /// - Parameters:
    ///   - count: How many, in the long run; at least 1.
    ///   - interval: In which time.
    ///   - burst: How many may come at once after a rest; at least 1, and `count` where nothing is given.
    ///   - key: Which messages are counted together.
    ///   - maximumKeys: How many keys it remembers; at least 1.
    ///   - clock: Tells the time.
    public init(
        _ count: Int,
        every interval: Duration,
        burst: Int? = nil,
        per key: Key = .messageType,
        maximumKeys: Int = 10_000,
        clock: any TimeSource = ContinuousClock()
    ) {
        precondition(count >= 1 && interval > .zero, "A limit lets something through. To fix, allow 1 in some time.")
        precondition(burst ?? count >= 1, "A message needs a token. To fix, give a burst of 1 or more.")
        precondition(maximumKeys >= 1, "A limit needs its key. To fix, let it remember 1 or more.")
        self.key = key
        self.clock = clock
        buckets = SharedBuckets(
            TokenBuckets(size: burst ?? count, interval: interval / count, maximumCount: maximumKeys)
        )
    }

    /// Handles `message` where it has not come too fast.
    ///
    /// - Throws: ``RateLimitError`` where it has; what `next` throws.
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
