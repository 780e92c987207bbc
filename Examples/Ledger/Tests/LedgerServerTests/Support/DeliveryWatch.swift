// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceStorage
import Synchronization

/// Counts deliveries, and resumes tasks that wait for a number of deliveries.
final class DeliveryWatch: RelayObserver {
    private struct State {
        var delivered: [String: Int] = [:]
        var failures = 0
        var waiters: [(subscription: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Number of failed attempts.
    var failureCount: Int { state.withLock { $0.failures } }

    func delivered(_ delivery: Delivery) {
        let woken = state.withLock { state in
            state.delivered[delivery.subscription, default: 0] += 1
            let woken = state.waiters.filter { state.delivered[$0.subscription, default: 0] >= $0.count }
            state.waiters.removeAll { state.delivered[$0.subscription, default: 0] >= $0.count }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        state.withLock { $0.failures += 1 }
    }

    /// Returns when `count` deliveries to `subscription` have succeeded.
    func waits(for count: Int, to subscription: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.delivered[subscription, default: 0] >= count { return true }
                state.waiters.append((subscription, count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
