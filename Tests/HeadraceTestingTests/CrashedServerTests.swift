// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceStoreContract
import HeadraceTesting
import Synchronization
import Testing

/// Relays that live on while the server of their store crashes and loses what isn't on its disk.
@Suite(.timeLimit(.minutes(5))) struct CrashedServerTests {
    @Test(arguments: CrashableStore.Point.all, 1...4)
    func relaysLoseRepeatAndReorderNothing(point: CrashableStore.Point, seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let passes = Mutex(0)
        let interval = Int.random(in: 3...9, using: &generator)
        let store = try CrashableStore(entities: CrashLedger.entities) { passed in
            passed == point
                && passes.withLock { passes in
                    passes += 1
                    return passes.isMultiple(of: interval) && passes <= 8 * interval
                }
        }
        // The settler stores some outcomes between two handlers.
        let ledger = CrashLedger(crashCount: { store.crashCount }) { _ in
            for _ in 0..<seed { await Task.yield() }
        }
        let clock = TestClock()
        let relays = (0..<2).map { _ in relay(on: store, ledger, clock) }

        try await withThrowingTaskGroup { group in
            for relay in relays { group.addTask { try await relay.run() } }
            for _ in 0..<60 {
                let stream = "\(Int.random(in: 0..<3, using: &generator))"
                let count = Int.random(in: 1...8, using: &generator)
                try? await ledger.write(count, to: stream, on: store)
                clock.advance(by: .milliseconds(Int.random(in: 0...400, using: &generator)))
                for _ in 0..<Int.random(in: 0...200, using: &generator) { await Task.yield() }
            }
            while try await store.deliveryStatistics().pendingCount > 0 {
                await clock.waitForSleepers(4)
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
            for relay in relays { relay.shutDown() }
            try await group.waitForAll()
        }

        try await ledger.check(on: store)
    }

    private func relay(on store: any DeliveryStore, _ ledger: CrashLedger, _ clock: TestClock) -> Relay {
        var configuration = Relay.Configuration()
        configuration.pollJitter = 0
        configuration.maximumAttempts = 1_000
        configuration.backoff = Backoff(base: .milliseconds(200), longest: .seconds(5))
        let start = clock.now
        return Relay(
            store: store,
            registrar: ledger.registrar,
            configuration: configuration,
            clock: clock,
            wallClock: {
                Date(timeIntervalSince1970: 1_700_000_000 + start.duration(to: clock.now) / .seconds(1))
            }
        )
    }
}
