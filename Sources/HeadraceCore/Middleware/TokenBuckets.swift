// SPDX-License-Identifier: Apache-2.0

/// A token bucket for each key, refilled at a constant rate.
///
/// Pure: the caller passes the time. A bucket is stored as the instant at which it is full again. Full buckets aren't
/// stored.
///
/// Source: the virtual scheduling algorithm of ITU-T I.371, <https://www.itu.int/rec/T-REC-I.371>; known as GCRA.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// Time until the bucket receives a token.
    private let interval: Duration

    /// Time to fill a bucket that contains one token.
    private let tolerance: Duration

    private let maximumCount: Int

    /// The instant at which each bucket is full again.
    private var fullAgain: [Key: ContinuousClock.Instant] = [:]

    /// Number of stored buckets.
    package var count: Int { fullAgain.count }

    /// Creates full buckets of `size` tokens each, which receive a token every `interval`.
    package init(size: Int, interval: Duration, maximumCount: Int) {
        self.interval = interval
        self.maximumCount = maximumCount
        tolerance = interval * (size - 1)
    }

    /// Takes a token of `key` at `now`.
    ///
    /// - Returns: `nil` if a token was taken; the instant of the next token if the bucket is empty.
    /// - Complexity: O(1), and O(*n* log *n*) in the number of buckets when buckets are removed, which happens once
    ///   for each quarter of new buckets.
    package mutating func take(_ key: Key, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let full = max(fullAgain[key] ?? now, now)
        let earliest = full.advanced(by: .zero - tolerance)
        if earliest > now { return earliest }
        fullAgain[key] = full.advanced(by: interval)
        if fullAgain.count > maximumCount { forget(at: now) }
        return nil
    }

    /// Removes full buckets and, if that isn't enough, the buckets that will be full soonest.
    ///
    /// It removes a quarter at once, so that it runs rarely. The emptiest buckets remain longest.
    private mutating func forget(at now: ContinuousClock.Instant) {
        let kept = max(1, maximumCount - maximumCount / 4)
        fullAgain = fullAgain.filter { $0.value > now }
        if fullAgain.count <= kept { return }
        let latest = fullAgain.sorted { $0.value > $1.value }.prefix(kept)
        fullAgain = Dictionary(uniqueKeysWithValues: latest.map { ($0.key, $0.value) })
    }
}
