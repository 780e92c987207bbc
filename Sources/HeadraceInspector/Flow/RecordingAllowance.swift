//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// Limits the number of entries that are recorded while no page is open.
///
/// It is a token bucket. The clock is read only while the bucket is empty, and then at each check, so that the first message after
/// a quiet time is recorded. A busy program pays for reading the clock and not for recording. The bucket is refilled by many tokens
/// at a time, so that most chains are recorded completely or not at all.
final class RecordingAllowance: Sendable {
    private static let smallestRefill = 50

    private let clock: any TimeSource
    private let burst: Int
    private let interval: Duration

    /// Time between two refills at least.
    private let refillInterval: Duration

    private let available: Atomic<Int>
    private let refusals = Atomic<Int>(0)
    private let lastRefill: Mutex<ContinuousClock.Instant>

    /// Creates an allowance of `capacity` entries in each `period`, with bursts of a quarter of `capacity`.
    init(capacity: Int, period: Duration, clock: any TimeSource) {
        self.clock = clock
        burst = max(1, capacity / 4)
        interval = max(.nanoseconds(1), period / max(1, capacity))
        available = Atomic(burst)
        refillInterval = interval * min(burst, Self.smallestRefill)
        lastRefill = Mutex(clock.now)
    }

    /// Approximate number of messages and stages that were refused.
    var refusalCount: Int { refusals.load(ordering: .relaxed) }

    /// Whether the next entry may be recorded.
    var isOpen: Bool {
        if available.load(ordering: .relaxed) > 0 || refill() { return true }
        refusals.wrappingAdd(1, ordering: .relaxed)
        return false
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
        // Another task that has the lock does the same.
        let isRefilled = lastRefill.withLockIfAvailable { last in
            let elapsed = last.duration(to: now)
            if elapsed < refillInterval { return false }
            let earned = Int(min(Double(burst), elapsed / interval))
            last = now
            available.wrappingAdd(earned, ordering: .relaxed)
            return true
        }
        return isRefilled ?? false
    }
}
