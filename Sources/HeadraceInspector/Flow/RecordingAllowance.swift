// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

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
