// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

/// Tests the guarantees of a relay: G2 to G5 and G7 of the article on durability.
@Suite(.timeLimit(.minutes(2))) struct RelayTests {
    private let bench: RelayBench

    init() throws {
        bench = try RelayBench()
    }

    @Test func committedEventsAreDeliveredAtOnceToEachSubscription() async throws {
        bench.registrar.register(Mail.self)
        bench.registrar.register(Book.self)

        try await withRelay(bench.relay()) {
            try await bench.deposit(5)
            await bench.desk.wait(for: 2, "delivered")
        }

        #expect(bench.desk.lines.filter { !$0.hasPrefix("delivered") }.sorted() == ["book 5", "mail 5"])
        #expect(try await bench.balance("a") == 5)
        #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
    }

    @Test func withoutARelayDeliveriesWait() async throws {
        bench.registrar.register(Mail.self)
        try await bench.deposit(5)

        #expect(bench.desk.lines == [])
        #expect(try await bench.store.deliveryStatistics().pendingCount == 1)

        try await withRelay(bench.relay()) { await bench.desk.wait(for: 1, "delivered") }
        #expect(bench.desk.lines == ["mail 5", "delivered mail"])
    }

    @Test func pollingFindsCommitsOfOtherProcesses() async throws {
        bench.registrar.register(Mail.self)
        let other = UnsignalledStore(bench.store)
        try await withRelay(bench.relay(on: other)) {
            await bench.clock.waitForSleepers(2)
            try await bench.deposit(5)
            bench.clock.advance(by: .seconds(1))
            await bench.desk.wait(for: 1, "delivered")
        }
    }

    @Test func aFailureIsRetriedAndThenBecomesADeadLetter() async throws {
        bench.registrar.register(Mail.self)
        bench.desk.script { _, _ in throw Failure() }
        let (desk, clock) = (bench.desk, bench.clock)

        try await withRelay(bench.relay { $0.maximumAttempts = 3 }) {
            try await bench.deposit(5)
            for attempt in 1...2 {
                await desk.wait(for: 1, "failed mail attempt \(attempt)")
                await clock.waitForSleepers(2)
                clock.advance(by: .seconds(1))
            }
            await desk.wait(for: 1, "dead")
        }

        #expect(desk.lines == ["failed mail attempt 1", "failed mail attempt 2", "dead mail attempt 3"])
        let letters = try await DeadLetters(in: bench.store).page()
        #expect(letters.map(\.reason) == ["\(Failure())"])
        #expect(letters.map(\.attempts) == [3])

        desk.script { _, _ in }
        #expect(try await DeadLetters(in: bench.store).replayAll(of: "mail") == 1)
        try await withRelay(bench.relay()) { await desk.wait(for: 1, "delivered") }
        #expect(try await DeadLetters(in: bench.store).page().isEmpty)
    }

    @Test func aRetriedDeliveryIsListedWithItsErrorAndTheTimeOfItsNextAttempt() async throws {
        bench.registrar.register(Mail.self)
        bench.desk.script { _, _ in throw Failure() }
        let pending = PendingDeliveries(in: bench.store, wallClock: bench.wallClock)
        let relay = bench.relay { $0.backoff = Backoff(base: .seconds(30), longest: .seconds(30), jitter: 0) }

        try await withRelay(relay) {
            try await bench.deposit(5)
            await bench.desk.wait(for: 1, "failed")
            try await relay.untilIdle()

            let page = try await pending.page()
            #expect(page.map(\.state) == [.retrying])
            #expect(page.map(\.lastFailure) == ["\(Failure())"])
            #expect(page.map(\.attempts) == [1])
            #expect(page.map(\.nextAttempt) == [RelayBench.epoch.addingTimeInterval(30)])
            #expect(try await pending.page(in: .waiting).isEmpty)
        }
    }

    @Test func aFailingHandlerBlocksOnlyItsOwnStreamAndSubscription() async throws {
        bench.registrar.register(Mail.self)
        bench.registrar.register(Book.self)
        bench.desk.script { subscription, event in
            if subscription == "mail", event.account == "bad" { throw Failure() }
        }

        try await withRelay(bench.relay()) {
            try await bench.deposit(1, 2, to: "bad")
            try await bench.deposit(3, 4, to: "good")
            await bench.desk.wait(for: 6, "delivered")
        }

        #expect(try await bench.balance("bad") == 3)
        #expect(try await bench.balance("good") == 7)
        #expect(bench.desk.lines.filter { $0.hasPrefix("mail") } == ["mail 3", "mail 4"])
        #expect(try await bench.store.deliveryStatistics().pendingCount == 2)
    }

    @Test func aSubscriptionWithALimitRunsAtMostThatManyHandlersAndDoesNotDelayOthers() async throws {
        bench.registrar.register(Mail.self)
        bench.registrar.register(Book.self)
        let (gate, running) = (Gate(), ConditionVariable((now: 0, most: 0)))
        bench.desk.script { subscription, _ in
            guard subscription == "mail" else { return }
            running.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await gate.pass()
            running.change { $0.now -= 1 }
        }
        for account in 0..<20 { try await bench.deposit(account, to: "\(account)") }

        let relay = bench.relay { configuration in
            configuration.subscriptionConcurrency = ["mail": 2]
            configuration.laneLimit = 8
        }
        try await withRelay(relay) {
            // While two handlers of "mail" wait, all events reach "book".
            await bench.desk.wait(for: 20, "delivered book")
            gate.open()
            await bench.desk.wait(for: 20, "delivered mail")
        }

        #expect(running.value.most == 2)
    }

    @Test func eventsOfAStreamArriveInCommitOrderAtAnyConcurrency() async throws {
        bench.registrar.register(Mail.self)
        for amount in 0..<200 { try await bench.deposit(amount, to: "\(amount % 7)") }

        try await withRelay(bench.relay { $0.batchLimit = 3 }) { await bench.desk.wait(for: 200, "delivered") }

        let amounts = bench.desk.lines.filter { $0.hasPrefix("mail") }.compactMap { Int($0.dropFirst(5)) }
        for stream in 0..<7 {
            let inStream = amounts.filter { $0 % 7 == stream }
            #expect(inStream == inStream.sorted())
        }
        #expect(amounts.sorted() == Array(0..<200))
    }

    @Test func changesOfAHandlerAndItsAcknowledgementAreOneCommit() async throws {
        bench.registrar.register(Book.self)
        try await bench.deposit(5)
        // The store refuses the first commit of the handler, as a whole.
        let store = FailingStore(bench.store, failing: 1)

        try await withRelay(bench.relay(on: store)) {
            await bench.desk.wait(for: 1, "failed book attempt 1")
            await bench.clock.waitForSleepers(2)
            bench.clock.advance(by: .seconds(1))
            await bench.desk.wait(for: 1, "delivered")
        }

        #expect(try await bench.balance("a") == 5)
        #expect(bench.desk.lines.filter { $0 == "book 5" }.count == 2)
    }

    @Test func aHandlerThatLosesItsLeaseStoresNothing() async throws {
        bench.registrar.register(Book.self)
        let (store, clock, desk) = (bench.store, bench.clock, bench.desk)
        let thief = LeaseThief(store: store, wallClock: bench.wallClock)
        desk.script { _, _ in
            // As if this process had been suspended for longer than its lease.
            clock.advance(by: .seconds(20))
            try await thief.steal("book")
        }
        try await withRelay(bench.relay(on: UnrenewedStore(store))) {
            try await bench.deposit(5)
            await desk.wait(for: 1, "lost")
        }

        #expect(try await bench.balance("a") == nil)
        #expect(!desk.lines.contains("delivered book"))
    }

    @Test func aSlowHandlerKeepsItsLease() async throws {
        bench.registrar.register(Mail.self)
        let gate = Gate()
        let (clock, desk) = (bench.clock, bench.desk)
        desk.script { _, _ in await gate.pass() }

        try await withRelay(bench.relay()) {
            try await bench.deposit(5)
            await gate.arrivals(1)
            for _ in 0..<10 {
                await clock.waitForSleepers(2)
                clock.advance(by: .seconds(1))
            }
            gate.open()
            await desk.wait(for: 1, "delivered")
        }

        #expect(desk.lines == ["mail 5", "delivered mail"])
    }

    @Test func aGracefulShutdownReleasesDeliveriesWithoutCountingAttempts() async throws {
        bench.registrar.register(Mail.self)
        let gate = Gate()
        bench.desk.script { _, _ in await gate.pass() }
        for amount in 1...10 { try await bench.deposit(amount, to: "\(amount % 3)") }
        let relay = bench.relay { $0.concurrency = 1 }
        let task = Task { try await relay.run() }
        await gate.arrivals(1)

        relay.shutDown()
        gate.open()
        try await task.value

        #expect(bench.desk.lines.filter { $0.hasPrefix("mail") }.count == 1)
        #expect(try await bench.store.deliveryStatistics().pendingCount == 9)
        let lanes = try await bench.store.lease(
            LeaseRequest(
                subscriptions: ["mail"],
                laneLimit: 10,
                batchLimit: 10,
                now: bench.wallClock(),
                duration: .seconds(1)
            )
        ).lanes
        #expect(lanes.flatMap { $0 }.map(\.attempt) == Array(repeating: 1, count: 9))
    }

    @Test func cancellationEndsHandlersAndReleasesTheirDeliveries() async throws {
        bench.registrar.register(Mail.self)
        let desk = bench.desk
        desk.script { _, _ in
            desk.note("began")
            try await TestClock().sleep(for: .seconds(1))
        }
        try await bench.deposit(5)
        let relay = bench.relay()
        let task = Task { try await relay.run() }
        await desk.wait(for: 1, "began")

        task.cancel()
        try await task.value

        #expect(desk.lines == ["began"])
        desk.script { _, _ in }
        try await withRelay(bench.relay()) { await desk.wait(for: 1, "delivered") }
        #expect(!desk.lines.contains { $0.hasPrefix("failed") })
    }

    @Test func memoryIsBoundedWhileAHandlerIsSlow() async throws {
        bench.registrar.register(Mail.self)
        let gate = Gate()
        bench.desk.script { _, _ in await gate.pass() }
        let store = CountingStore(bench.store)
        for amount in 0..<300 { try await bench.deposit(amount, to: "\(amount)") }

        try await withRelay(
            bench.relay(on: store) {
                $0.laneLimit = 20
                $0.concurrency = 4
            }
        ) {
            await gate.arrivals(1)
            await bench.clock.waitForSleepers(2)
            #expect(store.leased == 20)
            gate.open()
            await bench.desk.wait(for: 300, "delivered")
        }
    }

    @Test func aTemporaryFailureOfTheStoreDoesNotEndTheRelay() async throws {
        bench.registrar.register(Mail.self)
        let store = FailingStore(bench.store, failingLeases: 2)
        try await bench.deposit(5)

        try await withRelay(bench.relay(on: store)) {
            for failures in 1...2 {
                await bench.desk.wait(for: failures, "store failed")
                await bench.clock.waitForSleepers(2)
                bench.clock.advance(by: .seconds(1))
            }
            await bench.desk.wait(for: 1, "delivered")
        }
    }

    @Test func aRelayRunsOnce() async throws {
        let relay = bench.relay()
        try await withRelay(relay) {}

        let error = await #expect(throws: RelayError.self) { try await relay.run() }

        #expect(error?.code == .alreadyRunning)
    }

    @Test func aRelayRefusesARetentionShorterThanItsRetries() async throws {
        let relay = bench.relay {
            $0.backoff = Backoff(base: .seconds(10), factor: 2, longest: .seconds(60), jitter: 1)
            $0.maximumAttempts = 5
            // 10 + 20 + 40 + 60.
            #expect($0.longestRetrySchedule == .seconds(130))
            $0.idempotencyRetention = .seconds(129)
        }

        let error = await #expect(throws: RelayError.self) { try await relay.run() }

        #expect(error?.code == .retentionTooShort)
    }
}
