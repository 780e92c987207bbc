// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Synchronization
import Testing

@testable import HeadraceRelay

/// The wall clock jumps; what can't be undone isn't decided by it.
@Suite(.timeLimit(.minutes(1))) struct SteadyClockTests {
    private static let jumps: [TimeInterval] = [86_400, 365 * 86_400, -41 * 365 * 86_400]

    private let bench: RelayBench
    private let jump = Jump()

    init() throws {
        bench = try RelayBench()
    }

    /// The wall clock of the bench, which the test can set wrong.
    private var wallClock: @Sendable () -> Date {
        { [jump, date = bench.wallClock] in date().addingTimeInterval(jump.seconds).usable }
    }

    @Test(arguments: jumps) func aJumpIsTakenOverWhenItLasts(seconds: TimeInterval) {
        let steady = SteadyClock(wallClock, clock: bench.clock)
        #expect(steady.now == RelayBench.epoch)
        bench.clock.advance(by: .seconds(100))
        jump.seconds = seconds
        #expect(steady.now == RelayBench.epoch.addingTimeInterval(100))
        bench.clock.advance(by: .seconds(3))
        #expect(steady.now == RelayBench.epoch.addingTimeInterval(103))
        jump.seconds = 0
        #expect(steady.now == RelayBench.epoch.addingTimeInterval(103))

        jump.seconds = seconds
        #expect(steady.now == RelayBench.epoch.addingTimeInterval(103))
        bench.clock.advance(by: .seconds(599))
        #expect(steady.now == RelayBench.epoch.addingTimeInterval(702))
        bench.clock.advance(by: .seconds(1))
        #expect(steady.now == wallClock())
    }

    private func relay(on store: any DeliveryStore, _ observers: [any RelayObserver] = []) -> Relay {
        var configuration = Relay.Configuration()
        configuration.pollJitter = 0
        configuration.pruneInterval = .seconds(1)
        return Relay(
            store: store, registrar: bench.registrar, configuration: configuration,
            relayObservers: observers + [bench.desk], clock: bench.clock, wallClock: wallClock)
    }

    private func commit(_ changes: ChangeSet) async throws { try await bench.store.commit(changes) }

    @Test(arguments: jumps) func keysOfCommandsAreKeptThroughAJump(seconds: TimeInterval) async throws {
        var changes = ChangeSet()
        changes.idempotencyRecords = [
            IdempotencyRecord(
                key: "key", command: Data("{}".utf8), outcome: Data("{}".utf8), date: RelayBench.epoch)
        ]
        try await commit(changes)
        let store = PruneCounter(bench.store)

        try await withRelay(relay(on: store)) {
            for number in 1...4 {
                await bench.clock.waitForSleepers(2)
                jump.seconds = number == 2 || number == 3 ? seconds : 0
                bench.clock.advance(by: .seconds(2))
                await store.wait(for: number)
            }
        }

        #expect(try await bench.store.idempotencyRecord(for: "key") != nil)
    }

    @Test(arguments: jumps) func anUnknownMessageWaitsThroughAJump(seconds: TimeInterval) async throws {
        bench.registrar.register(Mail.self)
        var changes = ChangeSet()
        changes.events = [
            NewEvent(
                id: UUID(), name: "unknown", version: 1, stream: EntityReference(kind: "kind", key: "a"),
                recordedAt: RelayBench.epoch, json: Data("{}".utf8))
        ]
        changes.deliveries = [.init(event: 0, subscription: "mail")]
        try await commit(changes)
        let relay = relay(on: bench.store)

        try await withRelay(relay) {
            try await relay.untilIdle()
            for number in 1...10 {
                jump.seconds = (2...4).contains(number) ? seconds : 0
                bench.clock.advance(by: .seconds(1))
                try await relay.untilIdle()
            }
        }

        #expect(try await DeadLetters(in: bench.store).page().isEmpty)
        #expect(try await bench.store.deliveryStatistics().pendingCount == 1)
    }
}

/// Seconds by which the wall clock is wrong.
private final class Jump: Sendable {
    private let value = Mutex<TimeInterval>(0)

    var seconds: TimeInterval {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// A store that counts how often it was pruned.
private final class PruneCounter: StoreDecorator {
    let base: any DeliveryStore
    private let count = ConditionVariable(0)

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    func prune(_ request: PruneRequest) async throws -> Int {
        let removed = try await base.prune(request)
        count.change { $0 += 1 }
        return removed
    }

    func wait(for number: Int) async { await count.wait { $0 >= number } }
}
