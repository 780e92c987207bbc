// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import InMemoryLogging
import Logging
import MetricsTestKit
import Testing

@Suite(.timeLimit(.minutes(2))) struct RelayMetricsTests {
    private let bench: RelayBench
    private let factory = TestMetrics()

    init() throws {
        bench = try RelayBench()
        bench.registrar.register(Mail.self)
    }

    private func metrics(wallClock: @escaping @Sendable () -> Date = { Date() }) -> RelayMetrics {
        RelayMetrics(
            store: bench.store, interval: .seconds(15), factory: factory, clock: bench.clock, wallClock: wallClock
        )
    }

    private func gauge(_ name: String) throws -> Double? {
        try factory.expectRecorder("headrace.relay.\(name)", [("subscription", "mail")]).lastValue
    }

    @Test func eachOutcomeOfADeliveryIsCounted() async throws {
        bench.desk.script { _, event in if event.amount < 0 { throw Failure() } }

        try await withRelay(bench.relay(observers: [metrics()]) { $0.maximumAttempts = 2 }) {
            try await bench.deposit(1, 2, -3)
            await bench.desk.wait(for: 1, "failed")
            await bench.clock.waitForSleepers(2)
            bench.clock.advance(by: .seconds(1))
            await bench.desk.wait(for: 1, "dead")
        }

        let totals = try ["delivered", "failed", "dead_letter"].map { outcome in
            let labels = [("subscription", "mail"), ("outcome", outcome)]
            return try factory.expectCounter("headrace.relay.deliveries", labels).totalValue
        }
        #expect(totals == [2, 1, 1])
    }

    @Test func theGaugesFollowTheStatisticsOfTheStore() async throws {
        try await bench.deposit(1, 2)
        let recorded = try #require(await bench.store.deliveryStatistics().subscriptions.first?.oldestPending)
        let metrics = metrics { recorded.addingTimeInterval(7) }
        let running = Task { await metrics.run() }
        await bench.clock.waitForSleepers(1)
        #expect(try [gauge("pending"), gauge("lag"), gauge("dead_letters")] == [2, 7, 0])

        bench.desk.script { _, _ in throw Failure() }
        try await withRelay(bench.relay { $0.maximumAttempts = 1 }) { await bench.desk.wait(for: 2, "dead") }
        bench.clock.advance(by: .seconds(15))
        await bench.clock.waitForSleepers(1)
        #expect(try [gauge("pending"), gauge("lag"), gauge("dead_letters")] == [0, 0, 2])

        running.cancel()
        await running.value
    }

    @Test func aGaugeShowsThatASubscriptionIsPaused() async throws {
        try await bench.deposit(1)
        let running = Task { [metrics = metrics()] in await metrics.run() }
        await bench.clock.waitForSleepers(1)
        #expect(try gauge("paused") == 0)

        try await Subscriptions(in: bench.store).pause("mail")
        bench.clock.advance(by: .seconds(15))
        await bench.clock.waitForSleepers(1)
        #expect(try gauge("paused") == 1)

        running.cancel()
        await running.value
    }

    @Test func aStoreThatCannotBeReadIsCountedAndReadAgain() async throws {
        let store = UnreadableStore(bench.store)
        let metrics = RelayMetrics(store: store, factory: factory, clock: bench.clock)
        let log = InMemoryLogHandler()
        await withLogger(Logger(label: "test", factory: { _ in log })) { _ in
            let running = Task { await metrics.run() }
            await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .seconds(15))
            await bench.clock.waitForSleepers(1)
            running.cancel()
            await running.value
        }

        #expect(try factory.expectCounter("headrace.relay.store.failures").totalValue == 2)
        #expect(log.entries.map(\.level) == [.warning, .warning])
    }

    @Test func theDefaultRetriesLastLongerThanADay() {
        let configuration = Relay.Configuration()
        let shortest = configuration.longestRetrySchedule * (1 - configuration.backoff.jitter)

        #expect(shortest >= .seconds(86_400))
        #expect(configuration.longestRetrySchedule < .seconds(50 * 3_600))
        #expect(configuration.longestRetrySchedule < configuration.idempotencyRetention)
    }

    @Test func failuresAreWarningsFromAQuarterOfTheAttemptsOn() async throws {
        bench.desk.script { _, _ in throw Failure() }
        let log = InMemoryLogHandler()
        try await withLogger(Logger(label: "test", factory: { _ in log })) { _ in
            let relay = bench.relay { configuration in
                configuration.maximumAttempts = 8
                configuration.backoff = Backoff(base: .seconds(1), factor: 1, jitter: 0)
            }
            try await withRelay(relay) {
                try await bench.deposit(5)
                for attempt in 1..<8 {
                    await bench.desk.wait(for: 1, "failed mail attempt \(attempt)")
                    await bench.clock.waitForSleepers(2)
                    bench.clock.advance(by: .seconds(1))
                }
                await bench.desk.wait(for: 1, "dead")
            }
        }

        #expect(log.entries.map(\.level) == [.notice] + Array(repeating: .warning, count: 6) + [.error])
        #expect(
            log.entries.compactMap { $0.metadata["headrace.relay.attempts.left"] } == [
                "7", "6", "5", "4", "3", "2", "1",
            ])
    }
}

private struct Failure: Error {}
