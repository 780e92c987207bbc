// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

/// Relays whose subscriptions are paused and resumed while they run.
@Suite(.timeLimit(.minutes(2))) struct PausedSubscriptionTests {
    private let bench: RelayBench
    private let subscriptions: Subscriptions

    init() throws {
        bench = try RelayBench()
        bench.registrar.register(Mail.self)
        bench.registrar.register(Book.self)
        subscriptions = Subscriptions(in: bench.store, wallClock: bench.wallClock)
    }

    private var mails: [String] { bench.desk.lines.filter { $0.hasPrefix("mail") } }

    @Test func noRelayDeliversToAPausedSubscriptionAndAllGoOnAtOnceAfterIt() async throws {
        try await bench.deposit(1)
        try await subscriptions.pause("mail")
        let (one, two) = (bench.relay(), bench.relay())

        try await withRelay(one) {
            try await withRelay(two) {
                try await bench.deposit(2, 3)
                await bench.desk.wait(for: 3, "delivered book")
                try await one.untilIdle()
                try await two.untilIdle()
                #expect(mails == [])

                // The clock stands still, so no relay polls.
                try await subscriptions.resume("mail")
                await bench.desk.wait(for: 3, "delivered mail")
            }
        }

        #expect(mails == ["mail 1", "mail 2", "mail 3"])
    }

    @Test func aHandlerThatRunsEndsAndTheDeliveriesAfterItWait() async throws {
        let gate = Gate()
        bench.desk.script { [desk = bench.desk] subscription, event in
            guard subscription == "mail" else { return }
            desk.note("began \(event.amount)")
            await gate.pass()
        }
        let relay = bench.relay()

        try await withRelay(relay) {
            // One commit, so that one lease covers all three.
            try await bench.deposit(1, 2, 3)
            await bench.desk.wait(for: 1, "began 1")
            try await subscriptions.pause("mail")
            // The relay knows of the pause when it has leased a later event.
            try await bench.deposit(4, to: "b")
            await bench.desk.wait(for: 4, "delivered book")
            gate.open()
            await bench.desk.wait(for: 1, "delivered mail")
            try await relay.untilIdle()

            #expect(mails == ["mail 1"])
            let pending = try await subscriptions.all().first { $0.name == "mail" }
            #expect(pending?.pendingCount == 3)
            #expect(pending?.pausedSince == RelayBench.epoch)

            try await subscriptions.resume("mail")
            await bench.desk.wait(for: 4, "delivered mail")
        }

        #expect(mails.filter { $0 != "mail 4" } == ["mail 1", "mail 2", "mail 3"])
        #expect(bench.desk.lines.count { $0.hasPrefix("began") } == 4)
        #expect(!bench.desk.lines.contains { $0.hasPrefix("failed") || $0 == "lost" })
    }

    @Test func aSubscriptionWithoutRoomForAnotherLaneIsPausedAtOnce() async throws {
        let gate = Gate()
        bench.desk.script { [desk = bench.desk] subscription, event in
            guard subscription == "mail" else { return }
            desk.note("began \(event.amount)")
            await gate.pass()
        }
        try await bench.deposit(1, to: "a")
        try await bench.deposit(2, to: "b")

        // The relay leases both lanes, and may lease no other one of "mail".
        let store = ReleaseStore(bench.store, desk: bench.desk)
        try await withRelay(bench.relay(on: store) { $0.subscriptionConcurrency = ["mail": 1] }) {
            await bench.desk.wait(for: 1, "began")
            try await subscriptions.pause("mail")
            await bench.desk.wait(for: 1, "released")

            let running = try await PendingDeliveries(in: bench.store, wallClock: bench.wallClock)
                .page(in: .running, of: "mail")
            #expect(running.count == 1, "a lane that no worker has begun is still leased")
            gate.open()
            await bench.desk.wait(for: 1, "delivered mail")
            try await bench.deposit(3, to: "c")
            await bench.desk.wait(for: 3, "delivered book")
        }

        #expect(bench.desk.lines.count { $0.hasPrefix("began") } == 1)
    }

    @Test func aPauseByAnotherProcessIsNoticedWithinThePollInterval() async throws {
        let gate = Gate()
        bench.desk.script { [desk = bench.desk] subscription, event in
            guard subscription == "mail" else { return }
            desk.note("began \(event.amount)")
            await gate.pass()
        }
        try await bench.deposit(1, 2)

        try await withRelay(bench.relay(on: UnsignalledStore(bench.store))) {
            await bench.desk.wait(for: 1, "began 1")
            try await subscriptions.pause("mail")
            try await bench.deposit(3, to: "b")
            await bench.advance(until: 3, "delivered book")
            gate.open()
            await bench.desk.wait(for: 1, "delivered mail")
            try await subscriptions.resume("mail")
            await bench.advance(until: 3, "delivered mail")
        }

        #expect(mails.filter { $0 != "mail 3" } == ["mail 1", "mail 2"])
    }

    @Test func aRetryWaitsForTheEndOfThePauseAndKeepsItsAttempts() async throws {
        bench.desk.script { _, event in if event.amount < 0 { throw Failure() } }
        let relay = bench.relay { $0.maximumAttempts = 3 }

        try await withRelay(relay) {
            try await bench.deposit(-1)
            await bench.desk.wait(for: 1, "failed mail attempt 1")
            try await subscriptions.pause("mail")
            // "book" uses up its attempts meanwhile.
            await bench.advance(until: 1, "dead book")
            bench.clock.advance(by: .seconds(100))
            try await relay.untilIdle()
            #expect(!bench.desk.lines.contains("failed mail attempt 2"))

            try await subscriptions.resume("mail")
            await bench.desk.wait(for: 1, "failed mail attempt 2")
        }
    }

    @Test func aRelayThatIsCancelledDuringThePauseLeavesItsDeliveryToTheNext() async throws {
        bench.desk.script { [desk = bench.desk] subscription, event in
            guard subscription == "mail" else { return }
            desk.note("began \(event.amount)")
            await untilCancelled()
            throw CancellationError()
        }
        let relay = bench.relay()
        let running = Task { try await relay.run() }
        try await bench.deposit(1)
        await bench.desk.wait(for: 1, "began 1")
        try await subscriptions.pause("mail")
        running.cancel()
        try await running.value
        bench.desk.script { _, _ in }

        try await withRelay(bench.relay()) {
            try await bench.deposit(2, to: "b")
            await bench.desk.wait(for: 2, "delivered book")
            #expect(mails == [])
            try await subscriptions.resume("mail")
            await bench.desk.wait(for: 2, "delivered mail")
        }

        #expect(mails.sorted() == ["mail 1", "mail 2"])
    }

    @Test func scheduledMessagesOfAPauseTakeEffectAfterIt() async throws {
        try await bench.deposit(1)
        _ = try await UnitOfWork(delegator: bench.registrar, context: EntityContext(bench.store)).execute { context in
            try context.schedule(
                event: Deposited(account: "later", amount: 7), at: RelayBench.epoch.addingTimeInterval(5))
        }
        try await subscriptions.pause(ScheduledMessage.subscription)
        let relay = bench.relay()

        try await withRelay(relay) {
            await bench.desk.wait(for: 1, "delivered mail")
            bench.clock.advance(by: .seconds(60))
            #expect(try await relay.idle() == nil)
            #expect(mails == ["mail 1"])
            try await subscriptions.resume(ScheduledMessage.subscription)
            await bench.desk.wait(for: 2, "delivered mail")
        }

        #expect(mails == ["mail 1", "mail 7"])
    }

    @Test func anUnknownSubscriptionIsRefusedWithTheKnownNames() async throws {
        try await bench.deposit(1)

        for change in [subscriptions.pause, subscriptions.resume] {
            let error = await #expect(throws: RelayError.self) { try await change("mails") }
            #expect(error?.code == .unknownSubscription)
            #expect(error?.message.contains(#"Its subscriptions: ["book", "mail"]"#) == true)
        }
        #expect(try await subscriptions.all().map(\.name) == ["book", "mail"])
    }
}
