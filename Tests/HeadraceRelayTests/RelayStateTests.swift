// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceTesting
import Testing

@testable import HeadraceDomain
@testable import HeadraceRelay
@testable import HeadraceStorage

/// Tests which lane a relay handles next.
@Suite final class RelayStateTests {
    private var state = RelayState()

    @Test func suspectsRunOneAtATimeAfterAllOthersFewestAttemptsFirst() {
        enqueue(lane(1, attempt: 3, mayHaveRun: true), lane(2, attempt: 2, mayHaveRun: true), lane(3), lane(4))

        #expect(next() == 3)
        #expect(next() == 4)
        #expect(next() == 2)
        #expect(next() == nil)
        state.end([lane(2)])
        #expect(next() == 1)
    }

    @Test func aFirstRunOrAFailedAttemptIsNoSuspect() {
        enqueue(lane(1, attempt: 1, mayHaveRun: true), lane(2, attempt: 5))

        #expect(next() == 1)
        #expect(next() == 2)
    }

    @Test func aSuspectWaitsForALimitedNumberOfLanes() {
        enqueue(lane(1, attempt: 2, mayHaveRun: true))
        for number in 0..<Int64(2 * WaitingLanes.patience) { enqueue(lane(number + 2)) }

        var passed = 0
        while let lane = next(), lane != 1 { passed += 1 }

        #expect(passed == WaitingLanes.patience)
    }

    @Test func leasesAndSettlementsAreInTheOrderOfTheirLanes() {
        let lanes = (1...40).map { Int64($0 * 7 % 41) }
        for number in lanes {
            enqueue(lane(number))
            state.add(Settlement(lease: Lease(lane: number, token: 1), acknowledged: [1]))
        }

        #expect(state.leases.map(\.lane) == Array(1...40))
        let settlements = state.takeSettlements()
        #expect(settlements.map(\.lease.lane) == Array(1...40))
    }

    @Test func lanesOfSeveralSubscriptionsAreReleasedInTheOrderOfTheirNames() {
        let names = (10..<50).map { "\($0)" }
        state = RelayState(limits: Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
        for name in names.reversed() { enqueue(lane(Int64(name) ?? 0, of: name)) }

        let lanes = state.takeQueue()
        #expect(lanes.compactMap(\.first?.subscription) == names)
    }

    @Test func aLostLeaseSettlesNothing() {
        enqueue(lane(1), lane(2))
        let (first, second) = (Lease(lane: 1, token: 1), Lease(lane: 2, token: 1))
        state.add(Settlement(lease: first, acknowledged: [1]))
        state.add(Settlement(lease: second, acknowledged: [1]))

        let isNews = [state.markLost(first), state.markLost(first)]
        #expect(isNews == [true, false])
        state.add(Settlement(lease: first, acknowledged: [2], end: .finished(now: .now)))

        // The lease may still be valid, so it is given back.
        let settlements = state.takeSettlements().sorted { $0.lease.lane < $1.lease.lane }
        #expect(settlements.map(\.lease) == [first, second])
        #expect(settlements.map(\.acknowledged) == [[], [1]])
        #expect(state.leases == [second])
        #expect(state.heldCount == 1)
        state.putBack()
        #expect(Set(state.takeSettlements().map(\.lease)) == [first, second])
        let lost = state.endSettling(refused: [first])
        #expect(lost == [])
        #expect(state.takeSettlements() == [])
    }

    @Test func aLeaseThatWasNotRenewedIsNotGivenBack() {
        enqueue(lane(1))
        let lease = Lease(lane: 1, token: 1)

        let isNews = state.refuseRenewal(of: lease)
        #expect(isNews)
        state.giveBack(lease, now: .now)

        #expect(state.takeSettlements() == [])
        #expect(state.heldCount == 0)
    }

    @Test func aRefusedSettlementThatEndsItsLeaseGivesTheLeaseBack() {
        enqueue(lane(1))
        let lease = Lease(lane: 1, token: 1)
        state.add(
            Settlement(
                lease: lease, firstPosition: 3, acknowledged: [3], end: .retry(at: .distantFuture, now: .distantPast)))
        _ = state.takeSettlements()

        let lost = state.endSettling(refused: [lease])

        #expect(lost == [lease])
        #expect(state.takeSettlements() == [Settlement(lease: lease, end: .finished(now: .distantPast))])
    }

    @Test func mergedSettlementsNameTheFirstPositionOfAll() {
        enqueue(lane(1))
        let lease = Lease(lane: 1, token: 1)
        state.add(Settlement(lease: lease, firstPosition: 1, acknowledged: [1]))
        _ = state.takeSettlements()
        state.add(Settlement(lease: lease, firstPosition: 2, acknowledged: [2]))

        let commit = state.beginHandling(Settlement(lease: lease, firstPosition: 3, acknowledged: [3]))

        #expect(commit.firstPosition == 1)
        #expect(commit.acknowledged == [1, 2, 3])
        #expect(state.pending(lease)?.firstPosition == 1)
    }

    @Test func aRefusalAfterTheFinalCommitIsNoLoss() {
        enqueue(lane(1))
        let lease = Lease(lane: 1, token: 1)
        state.add(Settlement(lease: lease, acknowledged: [1]))
        _ = state.takeSettlements()
        _ = state.beginHandling(Settlement(lease: lease, acknowledged: [2], end: .finished(now: .now)))
        let isLost = state.endHandling(lease, isSettled: true)
        #expect(!isLost)

        let isNews = state.refuseRenewal(of: lease)
        #expect(!isNews)
        let lost = state.endSettling(refused: [lease])
        #expect(lost == [])
        #expect(state.heldCount == 0)
    }

    @Test func restoredSettlementsPrecedeLaterSettlements() {
        enqueue(lane(1))
        let lease = Lease(lane: 1, token: 1)
        state.add(Settlement(lease: lease, acknowledged: [1]))
        _ = state.takeSettlements()
        state.add(Settlement(lease: lease, acknowledged: [2]))
        #expect(state.pending(lease)?.acknowledged == [1, 2])

        state.putBack()

        let settlements = state.takeSettlements()
        #expect(settlements.map(\.acknowledged) == [[1, 2]])
        let lost = state.endSettling(refused: [])
        #expect(lost == [])
        #expect(state.pending(lease) == nil)
    }

    @Test func aLeaseIsValidUntilItsEndUnlessItIsRenewed() {
        let now = ContinuousClock.now
        let lease = Lease(lane: 1, token: 1)
        state.enqueue([[lane(1)]], until: now)

        #expect(state.isValid(lease, at: now.advanced(by: .milliseconds(-1))))
        #expect(!state.isValid(lease, at: now))
        state.extend([lease], until: now.advanced(by: .seconds(1)))
        #expect(state.isValid(lease, at: now))
        #expect(!state.isValid(Lease(lane: 1, token: 2), at: now))
    }

    @Test func aSubscriptionWithALimitLetsOthersPass() {
        state = RelayState(limits: ["slow": 1])
        enqueue(lane(1, of: "slow"), lane(2, of: "slow"), lane(3), lane(4, of: "slow"), lane(5))

        #expect([next(), next(), next(), next()] == [1, 3, 5, nil])
        state.end([lane(1, of: "slow")])
        #expect([next(), next()] == [2, nil])
        #expect(state.room(for: "slow", limit: 1, in: 10) == 0)
        state.end([lane(2, of: "slow")])
        #expect(state.room(for: "slow", limit: 1, in: 10) == 1)
        #expect(state.takeQueue().map { $0[0].lease.lane } == [4])
        #expect(state.room(for: "slow", limit: 1, in: 10) == 2)
    }

    @Test func aSuspectOfASubscriptionAtItsLimitWaits() {
        state = RelayState(limits: ["slow": 1])
        enqueue(lane(1, of: "slow"), lane(2, of: "slow", attempt: 2, mayHaveRun: true))

        #expect([next(), next()] == [1, nil])
        state.end([lane(1, of: "slow")])
        #expect(next() == 2)
    }

    /// Enqueues, begins, and ends lanes at random.
    @Test(arguments: 0..<200)
    func limitsAndTheOrderOfEachSubscriptionHold(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let limits = ["a": 1, "b": 3]
        var waiting: [String: [Int64]] = ["a": [], "b": [], "c": []]
        var running: [Delivery] = []
        var lastLane: Int64 = 0
        state = RelayState(limits: limits)

        func hasRoom(_ subscription: String) -> Bool {
            running.count { $0.subscription == subscription } < limits[subscription] ?? .max
        }

        for _ in 0..<100 {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                lastLane += 1
                let subscription = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
                waiting[subscription]?.append(lastLane)
                enqueue(lane(lastLane, of: subscription))
            case 1:
                let runnable = waiting.filter { hasRoom($0.key) }.compactMap(\.value.first)
                let begun = state.nextBatch()?.first
                #expect(begun?.lease.lane == runnable.min())
                if let begun {
                    waiting[begun.subscription]?.removeFirst()
                    running.append(begun)
                }
            default:
                if let index = running.indices.randomElement(using: &generator) {
                    state.end([running.remove(at: index)])
                }
            }
        }

        #expect(Set(state.takeQueue().map { $0[0].lease.lane }) == Set(waiting.values.joined()))
    }

    private func enqueue(_ lanes: Delivery...) {
        state.enqueue(lanes.map { [$0] }, until: .now)
    }

    private func next() -> Int64? {
        state.nextBatch()?.first?.lease.lane
    }

    private func lane(
        _ lane: Int64,
        of subscription: String = "other",
        attempt: Int = 1,
        mayHaveRun: Bool = false
    ) -> Delivery {
        Delivery(
            lease: Lease(lane: lane, token: 1),
            position: lane,
            subscription: subscription,
            attempt: attempt,
            mayHaveRun: mayHaveRun,
            isReplay: false,
            content: .missing
        )
    }
}
