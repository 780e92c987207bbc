// SPDX-License-Identifier: Apache-2.0
import Foundation
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct RelayPruningTests {
    private let bench: RelayBench
    private let store: PruningStore

    init() throws {
        bench = try RelayBench()
        store = PruningStore(bench.store)
    }

    private func insertRecord(_ key: String, age: TimeInterval) async throws {
        var changes = ChangeSet()
        changes.idempotencyRecords = [
            IdempotencyRecord(
                key: key,
                command: Data("{}".utf8),
                outcome: Data("{}".utf8),
                date: RelayBench.epoch.addingTimeInterval(-age)
            )
        ]
        try await store.commit(changes)
    }

    /// Runs a relay until it has pruned the store once.
    private func prune(_ configure: (inout Relay.Configuration) -> Void = { _ in }) async throws {
        try await withRelay(bench.relay(on: store, configure)) {
            await bench.clock.waitForSleepers(2)
            bench.clock.advance(by: .seconds(2))
            await store.waitForPruning()
        }
    }

    @Test func outcomesAreRemovedAfterSevenDays() async throws {
        let day: TimeInterval = 86_400
        try await insertRecord("old", age: 7 * day)
        try await insertRecord("young", age: 7 * day - 60)

        try await prune()

        #expect(try await store.idempotencyRecord(for: "old") == nil)
        #expect(try await store.idempotencyRecord(for: "young") != nil)
    }

    @Test func eventsAreKeptForEverUnlessThereIsARetention() async throws {
        bench.registrar.register(Mail.self)
        try await bench.deposit(1)
        try await withRelay(bench.relay()) { await bench.desk.wait(for: 1, "delivered") }

        // Events are recorded at the time of the system, and the relay's clock begins years before.
        bench.clock.advance(by: .seconds(1_000_000_000))
        try await prune()
        #expect(try await store.events(after: 0, limit: 9).count == 1)

        try await prune { $0.eventRetention = .seconds(60) }
        #expect(try await store.events(after: 0, limit: 9).isEmpty)
    }
}

/// A store that lets a test wait until a relay has pruned it.
private final class PruningStore: StoreDecorator {
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

    func waitForPruning() async {
        await count.wait { $0 > 0 }
        count.change { $0 = 0 }
    }
}
