// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Logging
import Synchronization

// Settling: stores the outcomes of all lanes together.
extension RelaySession {
    func settle(_ settlement: Settlement) {
        state.withLock { $0.add(settlement) }
        settling.notify()
    }

    /// Stores all waiting settlements together, again and again, even if cancelled, because outcomes must be stored.
    func settleUntilEnd() async {
        var failures = 0
        var generator = SystemValues.current.randomNumbers
        while true {
            let seen = settling.position
            let (settlements, isLast) = state.withLock { ($0.takeSettlements(), $0.isSettlingLast) }
            if settlements.isEmpty {
                if isLast { return }
                await settling.waitRegardless(after: seen)
                continue
            }
            do {
                let refused = try await store.settle(settlements)
                failures = 0
                let lost = state.withLock { $0.endSettling(refused: refused) }
                for lease in lost { report(lost: lease) }
                settled.notify()
                news.notify()
            } catch {
                failures += 1
                report(storeFailure: error)
                state.withLock { $0.putBack() }
                // At the end, the leases expire, and another relay repeats the deliveries.
                if isLast { return }
                let pause = configuration.backoff.pause(afterAttempt: failures, using: &generator)
                if Task.isCancelled {
                    // A cancelled task doesn't wait for a time. The last attempt follows the last worker.
                    await ending.waitRegardless(after: 0)
                } else {
                    await wait(for: ending, after: 0, until: relay.clock.now.advanced(by: pause))
                }
            }
        }
    }
}
