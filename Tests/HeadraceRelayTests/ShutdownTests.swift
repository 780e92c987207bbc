// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

/// Shutdowns at every moment of the loop that waits for news.
///
/// The clock stands still. So if the loop missed the shutdown, it would wait for ever.
@Suite(.timeLimit(.minutes(1))) struct ShutdownTests {
    private static let rounds = 1_000

    @Test func aRelayNeverMissesItsShutdown() async throws {
        let bench = try RelayBench()
        bench.registrar.register(Mail.self)
        for round in 0..<Self.rounds {
            let relay = bench.relay()
            let running = Task { try await relay.run() }
            try await relay.untilIdle()

            bench.store.deliverySignal.notify()
            spin(round)
            relay.shutDown()

            try await running.value
        }
    }

    /// Runs for 0 to 40 µs, so that the shutdown comes at another moment of the loop in each round.
    private func spin(_ round: Int) {
        let end = ContinuousClock.now.advanced(by: .nanoseconds(round % 400 * 100))
        while ContinuousClock.now < end {}
    }
}
