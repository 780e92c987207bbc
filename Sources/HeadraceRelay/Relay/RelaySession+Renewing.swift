// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage
import Logging
import Synchronization

// Renewal of leases, and pruning of rows that are no longer needed.
extension RelaySession {
    func renewAndPrune() async {
        _ = steadyClock.now
        var nextPruning = relay.clock.now
        let interval = configuration.leaseDuration / 3
        while let _ = try? await relay.clock.sleep(
            until: relay.clock.now.advanced(by: interval),
            tolerance: nil
        ) {
            do {
                try await renew()
                if relay.clock.now >= nextPruning {
                    nextPruning = relay.clock.now.advanced(by: configuration.pruneInterval)
                    try await prune()
                }
            } catch {
                report(storeFailure: error)
            }
        }
    }

    func renew() async throws {
        let leases = state.withLock { $0.leases }
        if leases.isEmpty { return }
        let end = relay.clock.now.advanced(by: configuration.leaseDuration)
        let refused = try await store.renew(leases, until: relay.wallClock().advanced(by: configuration.leaseDuration))
        let lost = state.withLock { state in
            state.extend(Set(leases).subtracting(refused), until: end)
            return refused.filter { state.refuseRenewal(of: $0) }
        }
        for lease in lost { report(lost: lease) }
        if lost.isEmpty { return }
        settled.notify()
        news.notify()
    }

    func prune() async throws {
        let now = steadyClock.now
        let request = PruneRequest(
            eventsBefore: configuration.eventRetention.map { now.advanced(by: .zero - $0) },
            idempotencyRecordsBefore: now.advanced(by: .zero - configuration.idempotencyRetention)
        )
        while !Task.isCancelled, try await store.prune(request) >= request.limit {}
    }
}
