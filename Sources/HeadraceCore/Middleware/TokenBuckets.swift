//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A bucket of tokens for each key: taking one needs one, and they come back at a steady rate.
///
/// Pure: time is what it is told. A bucket is one instant, when it is full again, and a full one is none at all.
///
/// Source: the virtual scheduling algorithm of ITU-T I.371, <https://www.itu.int/rec/T-REC-I.371>; known as GCRA.
package struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// How long it takes until a token is back.
    private let interval: Duration

    /// How long it takes to fill a bucket from its last token.
    private let tolerance: Duration

    private let maximumCount: Int

    /// When each bucket is full again.
    private var fullAgain: [Key: ContinuousClock.Instant] = [:]

    /// The number of buckets that are kept.
    package var count: Int { fullAgain.count }

    /// Creates buckets of `size` tokens each, of which one comes back every `interval`; all are full.
    package init(size: Int, interval: Duration, maximumCount: Int) {
        self.interval = interval
        self.maximumCount = maximumCount
        tolerance = interval * (size - 1)
    }

    /// Takes a token of `key` at `now`; the instant at which there is one again, or `nil` where it was taken.
    ///
    /// - Complexity: O(1); O(*n* log *n*) in the number of buckets when some must be forgotten, once for each quarter
    ///   of them that is new.
    package mutating func take(_ key: Key, at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let full = max(fullAgain[key] ?? now, now)
        let earliest = full.advanced(by: .zero - tolerance)
        if earliest > now { return earliest }
        fullAgain[key] = full.advanced(by: interval)
        if fullAgain.count > maximumCount { forget(at: now) }
        return nil
    }

    /// Forgets the buckets that are full, and if that is not enough those that will be soonest.
    ///
    /// A quarter goes at once, so that it is seldom done. Who has taken the most is forgotten last.
    private mutating func forget(at now: ContinuousClock.Instant) {
        let kept = max(1, maximumCount - maximumCount / 4)
        fullAgain = fullAgain.filter { $0.value > now }
        if fullAgain.count <= kept { return }
        let latest = fullAgain.sorted { $0.value > $1.value }.prefix(kept)
        fullAgain = Dictionary(uniqueKeysWithValues: latest.map { ($0.key, $0.value) })
    }
}
