// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import HeadraceTesting
import Testing

/// Tests a relay that receives unknown messages, as during a rolling deployment.
@Suite(.timeLimit(.minutes(1))) struct RelayUpgradeTests {
    private struct Remind: DurableCommand {
        static let commandName = "remind"
    }

    private struct Closed: DurableDomainEvent {
        static let eventName = "closed"
    }

    private let bench: RelayBench
    private let observer = LeftObserver()

    init() throws {
        bench = try RelayBench()
        bench.registrar.register(Mail.self)
    }

    @Test(arguments: [("unknown", 1), ("deposited", 2), ("closed", 1), ("deposited", 0)])
    func anUnknownMessageDelaysOnlyItsStream(name: String, version: Int) async throws {
        try bench.registrar.register(event: Closed.self)
        for stream in 0..<20 { try await commit(name, version: version, of: "\(stream)") }

        try await withRelay(bench.relay(observers: [observer]) { $0.laneLimit = 2 }) {
            await observer.wait(for: 20)
            try await bench.deposit(1, to: "19")
            try await bench.deposit(2, 3, to: "other")
            await bench.desk.wait(for: 2, "delivered")
            // The relay polls again, and finds no due lane.
            for _ in 0..<3 {
                await bench.clock.waitForSleepers(2)
                bench.clock.advance(by: .seconds(1))
            }
            await bench.clock.waitForSleepers(2)
        }

        #expect(observer.count == 20)
        #expect(bench.desk.lines.filter { $0.hasPrefix("mail") } == ["mail 2", "mail 3"])
        #expect(try await bench.store.deliveryStatistics().pendingCount == 21)
        #expect(try await DeadLetters(in: bench.store).page().isEmpty)
    }

    @Test func anUnknownMessageBecomesADeadLetterAfterTheGracePeriod() async throws {
        try await commit("unknown", version: 1, of: "a")
        try await bench.deposit(7)
        let relay = bench.relay(observers: [observer]) {
            $0.unknownEventGrace = .seconds(30)
            $0.pollInterval = .seconds(10)
            $0.leaseDuration = .seconds(60)
        }

        try await withRelay(relay) {
            await observer.wait(for: 1)
            for _ in 0..<3 {
                #expect(!bench.desk.lines.contains { $0.hasPrefix("dead") })
                await bench.clock.waitForSleepers(2)
                bench.clock.advance(by: .seconds(10))
            }
            await bench.desk.wait(for: 1, "delivered")
        }

        #expect(bench.desk.lines == ["dead mail attempt 1", "mail 7", "delivered mail"])
        let letter = try #require(try await DeadLetters(in: bench.store).page().first)
        #expect(letter.attempts == 0)
        #expect(letter.reason.hasPrefix("For 30.0 seconds, no program has known the message. "))
        #expect(letter.reason.contains("No type of event with the name 'unknown' is registered."))
        #expect(observer.count == 1)
    }

    @Test func withoutAGracePeriodAnUnknownMessageIsADeadLetterAtOnce() async throws {
        try await commit("deposited", version: 2, of: "a")

        try await withRelay(bench.relay(observers: [observer]) { $0.unknownEventGrace = .zero }) {
            await bench.desk.wait(for: 1, "dead")
        }

        #expect(observer.count == 0)
        let letter = try #require(try await DeadLetters(in: bench.store).page().first)
        #expect(letter.reason.contains("'deposited' was stored with version 2"))
    }

    @Test func anUndecodableMessageIsADeadLetterAtOnce() async throws {
        try await commit("deposited", version: 1, of: "a")

        try await withRelay(bench.relay(observers: [observer])) { await bench.desk.wait(for: 1, "dead") }

        #expect(observer.count == 0)
    }

    @Test func aScheduledMessageIsLeftForARelayThatKnowsIt() async throws {
        let context = EntityContext(bench.store)
        try context.schedule(Remind(), at: RelayBench.epoch)
        try context.schedule(event: Closed(), at: RelayBench.epoch)
        try await context.commit([])

        try await withRelay(bench.relay(observers: [observer])) { await observer.wait(for: 2) }
        #expect(try await bench.store.deliveryStatistics().pendingCount == 2)

        try bench.registrar.register(event: Closed.self)
        let newer = bench.relay()
        let desk = bench.desk
        newer.carryOut(Remind.self) { _ in desk.note("reminded") }
        try await withRelay(newer) { await desk.wait(for: 2, "delivered") }

        #expect(desk.lines.contains("reminded"))
        #expect(try await bench.store.deliveryStatistics().pendingCount == 0)
    }

    @Test(arguments: [StoreError.Code.schemaChanged, .newerSchema, .closed])
    func aRelayEndsIfItsStoreCannotBeUsedAnyLonger(code: StoreError.Code) async throws {
        let relay = bench.relay(on: ChangedStore(bench.store, code: code))

        let error = await #expect(throws: StoreError.self) { try await relay.run() }

        #expect(error?.code == code)
        #expect(bench.desk.lines == ["store failed"])
    }

    @Test func aRelayWithoutFreeLanesEndsIfTheStoreIsChanged() async throws {
        for account in ["a", "b", "c"] { try await bench.deposit(5, to: account) }
        let relay = bench.relay(on: ChangedStore(bench.store, afterTheLease: true)) { $0.laneLimit = 2 }

        let error = await #expect(throws: StoreError.self) { try await relay.run() }

        #expect(error?.code == .schemaChanged)
    }

    @Test func aHandlerWhoseStoreIsLockedOutCountsNoAttemptAndEndsTheRelay() async throws {
        let store = LockedOutStore(bench.store)
        bench.desk.script { _, _ in throw store.change }
        try await bench.deposit(5)

        let error = await #expect(throws: StoreError.self) { try await bench.relay(on: store).run() }

        #expect(error?.code == .schemaChanged)
        #expect(!bench.desk.lines.contains { $0.hasPrefix("failed") })
        let pending = try await bench.store.pendingDeliveries(PendingDeliveryRequest(now: RelayBench.epoch))
        #expect(pending.map(\.attempts) == [0])
    }

    @Test func aHandlerWhoseOtherStoreIsClosedFailsOnlyItsAttempt() async throws {
        bench.desk.script { _, _ in throw StoreError(code: .closed, message: "Another store is closed.") }

        try await withRelay(bench.relay()) {
            try await bench.deposit(5)
            await bench.desk.wait(for: 1, "failed")
        }
    }

    @Test func aRetryWaitsForTheEarliestRetryOfItsError() async throws {
        let earliest = bench.clock.now.advanced(by: .seconds(90))
        bench.desk.script { _, _ in throw Busy(earliestRetry: earliest) }

        let store = bench.store
        try await withRelay(bench.relay { $0.backoff = Backoff(base: .milliseconds(1), longest: .milliseconds(1)) }) {
            try await bench.deposit(5)
            await bench.desk.wait(for: 1, "failed")
        }

        let request = LeaseRequest(
            subscriptions: ["mail"],
            laneLimit: 1,
            batchLimit: 1,
            now: RelayBench.epoch.addingTimeInterval(89.999),
            duration: .seconds(1)
        )
        let early = try await store.lease(request)
        #expect(early.lanes.isEmpty)
        #expect(early.nextDue == RelayBench.epoch.addingTimeInterval(90))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func schedulingRequiresAFiniteDate(seconds: Double) throws {
        let context = EntityContext(bench.store)
        let date = Date(timeIntervalSince1970: seconds)

        let ofCommand = #expect(throws: StoreError.self) { try context.schedule(Remind(), at: date) }
        let ofEvent = #expect(throws: StoreError.self) { try context.schedule(event: Closed(), at: date) }

        #expect(ofCommand?.code == .invalidDate)
        #expect(ofEvent?.code == .invalidDate)
        #expect(
            ofCommand?.message == """
                A message can't be scheduled for a date that is \(seconds) seconds after 1970. Nothing was stored. To \
                fix, schedule it for a finite date.
                """
        )
    }

    @Test func aClockBefore1970LeasesNothingAndReportsAnError() async throws {
        let request = LeaseRequest(
            subscriptions: ["mail"],
            laneLimit: 1,
            batchLimit: 1,
            now: Date(timeIntervalSince1970: -5),
            duration: .seconds(1)
        )

        let error = await #expect(throws: StoreError.self) { _ = try await bench.store.lease(request) }

        #expect(
            error?.message == """
                The clock shows a time -5.0 seconds after 1970. Nothing was leased. To fix, set the clock of the \
                machine, or the 'wallClock' of the relay.
                """
        )
    }

    /// Commits an event that was not encoded from a type of this program.
    private func commit(_ name: String, version: Int, of stream: String) async throws {
        var changes = ChangeSet()
        changes.events = [
            NewEvent(
                id: .version7(),
                name: name,
                version: version,
                stream: EntityReference(kind: Balance.entityName, key: "source \(stream)"),
                recordedAt: RelayBench.epoch,
                json: Data("{}".utf8)
            )
        ]
        changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "mail")]
        try await bench.store.commit(changes)
    }
}

private struct Busy: Error, RetryableError {
    let isRetryable = true
    let earliestRetry: ContinuousClock.Instant?
}
