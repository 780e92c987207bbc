// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import Synchronization

/// Throughput and latency of messages in each of the last seconds, in constant memory.
struct RateHistory: Sendable {
    /// Number of seconds in the history, including the current second.
    static let length = 120

    /// Message kinds in the order of ``Point/counts``.
    ///
    /// All other kinds count as the last.
    static let kinds = ["request", "command", "query", "action", "effect", "event", "notification", "step", "other"]

    /// Number of latency bins: four for each doubling, from 1 microsecond to 134 seconds.
    private static let binCount = 4 * 27

    private struct Bucket {
        var second = -1
        var counts = Array(repeating: 0, count: RateHistory.kinds.count)
        var failures = 0
        var bins = Array(repeating: UInt32(0), count: RateHistory.binCount)

        mutating func begin(_ second: Int) {
            self.second = second
            failures = 0
            for index in counts.indices { counts[index] = 0 }
            for index in bins.indices { bins[index] = 0 }
        }

        /// The quantile `share` of the latencies in milliseconds, with an error below 20 percent.
        func latency(_ share: Double) -> Double? {
            let total = bins.reduce(0) { $0 + Int($1) }
            if total == 0 { return nil }
            var left = max(1, Int((Double(total) * share).rounded(.up)))
            for (index, count) in bins.enumerated() {
                left -= Int(count)
                if left <= 0 { return exp2((Double(index) + 0.5) / 4) / 1_000 }
            }
            return nil
        }
    }

    /// One second of the charts.
    struct Point: Sendable, Equatable, Encodable {
        /// Age in seconds: 0 for the current second.
        let age: Int

        /// Number of messages that ended, by kind.
        let counts: [Int]

        /// Number of failed messages.
        let failures: Int

        /// Median latency in milliseconds; `nil` if no message ended.
        let median: Double?

        /// 99th percentile of the latency in milliseconds; `nil` if no message ended.
        let high: Double?
    }

    private var buckets = Array(repeating: Bucket(), count: RateHistory.length)

    /// Counts a message that ended in `second`.
    mutating func add(kind: String, duration: Duration, isFailure: Bool, second: Int) {
        let index = second % Self.length
        if buckets[index].second != second { buckets[index].begin(second) }
        let kindIndex = Self.kinds.firstIndex(of: kind) ?? Self.kinds.count - 1
        buckets[index].counts[kindIndex] += 1
        if isFailure { buckets[index].failures += 1 }
        buckets[index].bins[Self.bin(of: duration)] &+= 1
    }

    /// Returns the history up to `second`, the oldest second first.
    ///
    /// Seconds without messages have zero counts.
    func points(upTo second: Int) -> [Point] {
        (0..<Self.length).reversed().map { age in
            let bucket = second >= age ? buckets[(second - age) % Self.length] : Bucket()
            guard bucket.second == second - age else {
                return Point(age: age, counts: Bucket().counts, failures: 0, median: nil, high: nil)
            }
            return Point(
                age: age,
                counts: bucket.counts,
                failures: bucket.failures,
                median: bucket.latency(0.5),
                high: bucket.latency(0.99)
            )
        }
    }

    private static func bin(of duration: Duration) -> Int {
        let microseconds = duration / .microseconds(1)
        if microseconds <= 1 { return 0 }
        return min(binCount - 1, Int(log2(microseconds) * 4))
    }
}

/// Limits the number of entries that are recorded while no page is open.
///
/// It is a token bucket. While the bucket is empty, only every sixteenth check reads the clock, so that a busy program
/// pays for a counter and not for recording. The bucket is refilled by many tokens at a time, so that most chains are
/// recorded completely or not at all.
///
/// It can't be copied, so that a check counts no references.
struct RecordingAllowance: ~Copyable, Sendable {
    private static let checkInterval = 16
    private static let smallestRefill = 50

    /// Whether entries are recorded while no page is open.
    let isOn: Bool

    private let clock: any TimeSource
    private let burst: Int
    private let interval: Duration
    private let available: Atomic<Int>
    private let refusals = Atomic<Int>(0)
    private let lastRefill: Mutex<ContinuousClock.Instant>

    /// Creates an allowance of `capacity` entries in each `period`, with bursts of a quarter of `capacity`.
    ///
    /// Without a period, it permits nothing.
    init(capacity: Int, period: Duration, clock: any TimeSource) {
        self.clock = clock
        isOn = period > .zero
        burst = isOn ? max(1, capacity / 4) : 0
        interval = max(.nanoseconds(1), period / max(1, capacity))
        available = Atomic(burst)
        lastRefill = Mutex(clock.now)
    }

    /// Approximate number of messages and stages that were refused.
    var refusalCount: Int { refusals.load(ordering: .relaxed) }

    /// Whether the next entry may be recorded.
    var isOpen: Bool {
        if available.load(ordering: .relaxed) > 0 { return true }
        if !isOn { return false }
        let count = refusals.wrappingAdd(1, ordering: .relaxed).newValue
        return count % Self.checkInterval == 0 && refill()
    }

    /// Takes one token, and returns `false` if there is none.
    func take() -> Bool {
        if available.load(ordering: .relaxed) <= 0 { return false }
        // Concurrent tasks can take a few tokens too many. The next refill makes up for them.
        available.wrappingSubtract(1, ordering: .relaxed)
        return true
    }

    private func refill() -> Bool {
        let now = clock.now
        return lastRefill.withLock { last in
            let earned = Int(min(Double(burst), last.duration(to: now) / interval))
            if earned < min(burst, Self.smallestRefill) { return false }
            last = now
            available.wrappingAdd(earned, ordering: .relaxed)
            return true
        }
    }
}
