// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceStorage
import Synchronization

/// Counts deliveries, and resumes tasks that wait for a number of deliveries.
final class DeliveryWatch: RelayObserver {
    private struct State {
        var delivered: [String: Int] = [:]
        var failures = 0
        var waiters: [(subscription: String, count: Int, end: AsyncStream<Never>.Continuation)] = []
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
        for waiter in woken { waiter.end.finish() }
    }

    func failed(_ delivery: Delivery, _ error: any Error, retryAt date: Date) {
        state.withLock { $0.failures += 1 }
    }

    /// Returns when `count` deliveries to `subscription` have succeeded, or when the test is cancelled, as by its time limit.
    func waits(for count: Int, to subscription: String) async {
        let (wait, end) = AsyncStream<Never>.makeStream()
        state.withLock { state in
            if state.delivered[subscription, default: 0] >= count {
                end.finish()
            } else {
                state.waiters.append((subscription, count, end))
            }
        }
        for await _ in wait {}
    }
}
#endif
