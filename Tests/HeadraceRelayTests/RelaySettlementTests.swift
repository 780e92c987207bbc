// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

/// Tests which settlements a relay stores, and when: G2 to G4 of the article on durability.
@Suite(.timeLimit(.minutes(1))) struct RelaySettlementTests {
    private let bench: RelayBench

    init() throws {
        bench = try RelayBench()
        bench.registrar.register(Record.self)
    }

    @Test func aCommitSettlesEarlierDeliveriesOfItsLane() async throws {
        let store = HeldStore(bench.store, settling: Gate())
        try await bench.deposit(1, 2)

        try await withRelay(bench.relay(on: store)) {
            await bench.desk.wait(for: 2, "delivered")
            // The acknowledgement of 1 is not stored yet.
            #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
            try await bench.deposit(3)
            await bench.desk.wait(for: 1, "record 3")
            store.settling.open()
            await bench.desk.wait(for: 3, "delivered")
        }

        #expect(bench.desk.lines.filter { $0.hasPrefix("record") } == ["record 1", "record 2", "record 3"])
        #expect(!bench.desk.lines.contains("lost"))
        #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
    }

    @Test func pendingSettlementsSurviveAFailedCommit() async throws {
        let store = HeldStore(FailingStore(bench.store, failing: 1), settling: Gate())
        try await bench.deposit(1, 2)

        try await withRelay(bench.relay(on: store)) {
            await bench.desk.wait(for: 1, "failed")
            store.settling.open()
            // The clock passes the back-off before the second attempt at 2.
            await bench.advance(until: 2, "delivered")
        }

        #expect(bench.desk.lines.filter { $0.hasPrefix("record") } == ["record 1", "record 2", "record 2"])
        #expect(bench.desk.lines.filter { $0.hasPrefix("failed") } == ["failed record attempt 1"])
        #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
    }

    @Test func settlementsSurviveATemporaryFailureOfTheStore() async throws {
        let store = FailingStore(bench.store, failingSettlements: 1)
        try await bench.deposit(1, 3)

        try await withRelay(bench.relay(on: store)) {
            await bench.desk.wait(for: 2, "delivered")
            await bench.desk.wait(for: 1, "store failed")
        }

        #expect(bench.desk.lines.filter { $0.hasPrefix("record") } == ["record 1", "record 3"])
        #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
    }

    @Test func aWorkerStopsAndSettlesNothingAfterALostLease() async throws {
        let gate = Gate()
        bench.desk.script { _, _ in await gate.pass() }
        let store = HeldStore(RefusingStore(bench.store))
        try await bench.deposit(1, 3, 5)
        try await bench.deposit(7, to: "b")

        try await withRelay(bench.relay(on: store) { $0.concurrency = 1 }) {
            await gate.arrivals(1)
            await bench.clock.waitForSleepers(2)
            bench.clock.advance(by: .seconds(2))
            await bench.desk.wait(for: 2, "lost")
            gate.open()
            await bench.desk.wait(for: 1, "record")
            // The only worker handles this delivery last.
            try await bench.deposit(9, to: "c")
            await bench.desk.wait(for: 1, "record 9")
        }

        #expect(bench.desk.lines == ["lost", "lost", "record 1", "record 9", "delivered record"])
        #expect(store.settled.count == 1)
        #expect(try await bench.store.deliveryStatistics().pendingCount == 4)
    }

    @Test(arguments: [1, 2]) func aLeaseLostDuringTheLastHandlerIsReportedOnce(
        amount: Int
    ) async throws {
        let gate = Gate()
        let (desk, clock, wallClock) = (bench.desk, bench.clock, bench.wallClock)
        let thief = LeaseThief(store: bench.store) { wallClock().addingTimeInterval(20) }
        desk.script { _, _ in
            await gate.pass()
            try await thief.steal("record")
        }
        let store = HeldStore(RefusingStore(bench.store))
        try await bench.deposit(amount)

        try await withRelay(bench.relay(on: store)) {
            await gate.arrivals(1)
            await clock.waitForSleepers(2)
            clock.advance(by: .seconds(2))
            await clock.waitForSleepers(2)
            gate.open()
            await desk.wait(for: 1, "lost")
        }

        #expect(desk.lines == ["record \(amount)", "lost"])
        #expect(store.settled == [])
        #expect(try await bench.store.deliveryStatistics().pendingCount == 1)
    }

    @Test func aRenewalAfterTheFinalCommitReportsNoLoss() async throws {
        try await bench.deposit(2)
        let store = HeldStore(bench.store, committed: Gate())

        try await withRelay(bench.relay(on: store)) {
            await store.committed.arrivals(1)
            for _ in 0..<2 {
                await bench.clock.waitForSleepers(2)
                bench.clock.advance(by: .seconds(2))
            }
            await bench.clock.waitForSleepers(2)
            store.committed.open()
            await bench.desk.wait(for: 1, "delivered")
        }

        #expect(bench.desk.lines == ["record 2", "delivered record"])
    }

    @Test func aShutdownReleasesUnhandledDeliveries() async throws {
        let gate = Gate()
        bench.desk.script { _, _ in await gate.pass() }
        for account in ["a", "b", "c"] { try await bench.deposit(1, 3, to: account) }
        let store = HeldStore(bench.store, settling: Gate())
        let relay = bench.relay(on: store) { $0.concurrency = 1 }
        let task = Task { try await relay.run() }
        await gate.arrivals(1)

        relay.shutDown()
        // While the only worker is busy, the waiting lanes are released.
        await store.settling.arrivals(1)
        store.settling.open()
        gate.open()
        try await task.value

        let request = LeaseRequest(
            subscriptions: ["record"], laneLimit: 9, batchLimit: 9, now: bench.wallClock(), duration: .seconds(1)
        )
        let lanes = try await bench.store.lease(request).lanes
        #expect(lanes.map(\.count).sorted() == [1, 2, 2])
        #expect(Set(lanes.joined().map(\.attempt)) == [1])
        #expect(Set(lanes.joined().map(\.mayHaveRun)) == [false])
    }

    @Test func aSingleAttemptCountsBeforeTheHandlerRuns() async throws {
        let gate = Gate()
        bench.desk.script { _, _ in await gate.pass() }
        let store = HeldStore(bench.store)
        try await bench.deposit(1)

        try await withRelay(bench.relay(on: store) { $0.maximumAttempts = 1 }) {
            await gate.arrivals(1)
            #expect(store.settled.map(\.attempts) == [1])
            gate.open()
            await bench.desk.wait(for: 1, "delivered")
        }
    }

    @Test func aCommittedDeliveryIsDoneEvenIfMiddlewareThrowsLater() async throws {
        let (clock, desk) = (bench.clock, bench.desk)
        let store = LateStore(bench.store, clock: clock)
        let relay = Relay(
            store: store,
            registrar: bench.registrar,
            middleware: [TimeoutMiddleware(.seconds(1), clock: clock)],
            relayObservers: [desk],
            clock: clock,
            wallClock: bench.wallClock
        )
        try await bench.deposit(2)

        try await withRelay(relay) { await desk.wait { $0.count >= 2 } }

        #expect(desk.lines == ["record 2", "delivered record"])
        #expect(try await bench.balance("a") == 2)
        #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
    }
}

/// A store that commits, and returns only after the caller's timeout.
private final class LateStore: StoreDecorator {
    let base: any DeliveryStore
    private let clock: TestClock

    init(_ base: any DeliveryStore, clock: TestClock) {
        self.base = base
        self.clock = clock
    }

    func commit(_ changes: ChangeSet) async throws {
        try await base.commit(changes)
        // Three tasks sleep: the timeout, and the relay's renewal and polling.
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(1))
        await untilCancelled()
    }
}

/// Stores even amounts, and ignores odd amounts.
private struct Record: DurableDomainEventHandler {
    static let subscriptionName = "record"

    static func handle(event: Deposited, resolver: any DependencyResolver) async throws {
        let desk = resolver.resolve(Desk.self)
        if event.amount.isMultiple(of: 2) {
            let context = resolver.resolve(EntityContext.self)
            let balance = try await context.find(Balance.self, id: event.account) ?? Balance(event.account)
            context.insert(balance)
            balance.amount += event.amount
        }
        try await desk.perform("record", event)
    }
}
