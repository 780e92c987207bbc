// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static func pauseChecks(for capabilities: Capabilities) -> [Check] {
        checksOfPauses + (capabilities.isShared ? sharedPauseChecks : [])
    }

    private static let checksOfPauses: [Check] = [
        Check("a paused subscription is not leased until it is resumed, and others are") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, to: ["a", "b"]))

            try require(try await fixture.store.pause("a", at: DeliveryFixture.date(0)), "the subscription exists")
            try require(try await fixture.store.pause("a", at: DeliveryFixture.date(5)), "the subscription exists")
            try await fixture.store.commit(ChangeSet().delivering(3, of: "other", to: ["a", "b"]))

            let leased = try await fixture.store.lease(DeliveryFixture.request("a", "b", "c"))
            try requireEqual(leased.lanes.numbers, [["1", "2"], ["3"]], "the list of due deliveries of b")
            try requireEqual(leased.paused, ["a"], "the paused subscriptions")
            let paused = try await fixture.store.deliveryStatistics().subscriptions
            try requireEqual(paused.map(\.pausedSince), [DeliveryFixture.date(0), nil], "the dates of the pauses")
            try requireEqual(paused.map(\.pendingCount), [3, 3], "the numbers of pending deliveries")

            try require(try await fixture.store.resume("a"), "the subscription exists")
            try requireEqual(try await fixture.lease().numbers, [["1", "2"], ["3"]], "the due deliveries of a")
            let resumed = try await fixture.store.deliveryStatistics().subscriptions
            try requireEqual(resumed.map(\.pausedSince), [nil, nil], "the dates of the pauses")
        },
        Check("a subscription that has never had a delivery can't be paused, and isn't created") { fixture in
            let fixture = try await fixture.openDeliveries()

            try requireEqual(try await fixture.store.pause("a", at: DeliveryFixture.date(0)), false, "the pause")
            try requireEqual(try await fixture.store.resume("a"), false, "the end of the pause")

            try requireEqual(try await fixture.store.deliveryStatistics().subscriptions, [], "the subscriptions")
            try await fixture.store.commit(ChangeSet().delivering(1))
            try requireEqual(try await fixture.lease().numbers, [["1"]], "the list of due deliveries")
        },
        Check("the leases of a paused subscription stay valid, and their deliveries settle") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(
                ChangeSet().delivering(1, 2, of: "x").delivering(3, of: "y").delivering(4, of: "z"))
            let lanes = try await fixture.lease(at: 0)
            _ = try await fixture.store.pause("a", at: DeliveryFixture.date(1))

            let lost = try await fixture.store.renew(lanes.map { $0[0].lease }, until: DeliveryFixture.date(30))
            try requireEqual(lost, [], "the list of lost leases")
            try await fixture.settle(lanes[0], acknowledged: 1, end: .finished(now: DeliveryFixture.date(2)))
            try await fixture.store.commit(
                ChangeSet().settling(lanes[1].settlement(acknowledged: 1, end: .finished(now: DeliveryFixture.date(2))))
            )
            try await fixture.giveUp(lanes[2], at: 2)

            try requireEqual(try await fixture.lease(at: 40).numbers, [], "the list of due deliveries")
            _ = try await fixture.store.resume("a")
            let left = try await fixture.lease(at: 40)
            try requireEqual(left.numbers, [["2"]], "the list of due deliveries after the pause")
            try requireEqual(
                try await fixture.store.deliveryStatistics().deadLetterCount, 1, "the number of dead letters")
        },
        Check("a pause keeps attempts, the times of retries, and the times of scheduled messages") { fixture in
            let fixture = try await fixture.openDeliveries()
            let scheduled = ScheduledMessage.subscription
            try await fixture.store.commit(ChangeSet().delivering(1, 2).scheduling("later", at: 50))
            let lane = try await fixture.leaseOne()
            let end = Settlement.End.retry(at: DeliveryFixture.date(20), now: DeliveryFixture.date(0))
            try await fixture.settle(lane, attempts: 3, end: end)
            for name in ["a", scheduled] { _ = try await fixture.store.pause(name, at: DeliveryFixture.date(1)) }

            let paused = try await fixture.store.lease(DeliveryFixture.request("a", scheduled, at: 30))
            try requireEqual(paused.lanes.numbers, [], "the list of due deliveries")
            try requireEqual(paused.nextDue, nil, "the next due date")
            for name in ["a", scheduled] { _ = try await fixture.store.resume(name) }

            let early = try await fixture.store.lease(DeliveryFixture.request("a", scheduled, at: 19))
            try requireEqual(early.lanes.numbers, [], "the list of due deliveries before the retry")
            try requireEqual(early.nextDue, DeliveryFixture.date(20), "the next due date then")
            let retried = try await fixture.leaseOne(at: 20)
            try requireEqual(retried.numbers, ["1"], "the delivery that is retried")
            try requireEqual(retried.map(\.attempt), [4], "its attempt")
            try requireEqual(try await fixture.lease(scheduled, at: 49).numbers, [], "the scheduled messages before")
            try requireEqual(try await fixture.lease(scheduled, at: 50).numbers, [["later"]], "the scheduled messages")
        },
        Check("a lease that ends without an outcome during a pause is marked after it") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2))
            _ = try await fixture.leaseOne(at: 0)
            _ = try await fixture.store.pause("a", at: DeliveryFixture.date(1))
            try requireEqual(try await fixture.lease(at: 100).numbers, [], "the list of due deliveries")

            _ = try await fixture.store.resume("a")

            let lane = try await fixture.leaseOne(at: 100)
            try requireEqual(lane.numbers, ["1"], "the delivery that may have run")
            try requireEqual(lane.map(\.mayHaveRun), [true], "whether it may have run")
        },
        Check("replays, dead letters, and pruning respect a pause") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, of: "x").delivering(2, of: "y"))
            let lanes = try await fixture.lease()
            try await fixture.settle(lanes[0], acknowledged: 1, end: .finished(now: DeliveryFixture.date(0)))
            try await fixture.giveUp(lanes[1])
            _ = try await fixture.store.pause("a", at: DeliveryFixture.date(1))

            let letters = try await fixture.store.deadLetters(after: 0, of: "a", limit: 9)
            try requireEqual(try await fixture.store.replayDeadLetters(letters.map(\.id)), 1, "the replayed letters")
            let count = try await fixture.store.replay("a", eventsNamed: ["numbered"], after: 0)
            try requireEqual(count, 1, "the number of replayed events")
            try requireEqual(
                try await fixture.store.prune(PruneRequest(eventsBefore: .distantFuture)), 0, "the pruned events")

            try requireEqual(try await fixture.lease(at: 60).numbers, [], "the list of due deliveries")
            _ = try await fixture.store.resume("a")
            let numbers = try await fixture.lease(at: 60).numbers.sorted { $0[0] < $1[0] }
            try requireEqual(numbers, [["1"], ["2"]], "the list of due deliveries after the pause")
        },
        Check("the beginning and the end of a pause signal relays") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let before = fixture.store.deliverySignal.position

            _ = try await fixture.store.pause("a", at: DeliveryFixture.date(0))
            let between = fixture.store.deliverySignal.position
            _ = try await fixture.store.resume("a")

            try require(before < between, "a pause signals")
            try require(between < fixture.store.deliverySignal.position, "the end of a pause signals")
        },
        Check("tasks that lease at the same time get nothing after a pause has returned") { fixture in
            let fixture = try await fixture.openDeliveries()
            var changes = ChangeSet()
            for number in 0..<UInt8(200) { changes = changes.delivering(number, of: nil) }
            try await fixture.store.commit(changes)

            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { for _ in 0..<5 { _ = try await fixture.lease(lanes: 1) } }
                }
                group.addTask {
                    _ = try await fixture.store.pause("a", at: DeliveryFixture.date(0))
                    for _ in 0..<5 {
                        try requireEqual(try await fixture.lease(lanes: 1).numbers, [], "the list of due lanes")
                    }
                }
                try await group.waitForAll()
            }

            _ = try await fixture.store.resume("a")
            let rest = try await fixture.lease(at: 60, lanes: 500)
            try requireEqual(rest.count, 200, "the number of lanes that are due when all leases have ended")
        },
    ]

    private static let sharedPauseChecks: [Check] = [
        Check("a pause holds for all store objects, and for those that are opened later") { fixture in
            let (one, two) = (try await fixture.openDeliveries(), try await fixture.openDeliveries())
            try await one.store.commit(ChangeSet().delivering(1))

            try require(try await two.store.pause("a", at: DeliveryFixture.date(7)), "the subscription exists")

            let three = try await fixture.openDeliveries()
            for store in [one, two, three] {
                try requireEqual(try await store.lease().numbers, [], "the list of due deliveries")
                let dates = try await store.store.deliveryStatistics().subscriptions.map(\.pausedSince)
                try requireEqual(dates, [DeliveryFixture.date(7)], "the date of the pause")
            }
            _ = try await three.store.resume("a")
            try requireEqual(try await one.lease().numbers, [["1"]], "the list of due deliveries after the pause")
        }
    ]
}
