// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceStorage

extension StoreContract {
    static let leaseChecks: [Check] = [
        Check("an event is delivered to its subscriptions only") { fixture in
            let fixture = try await fixture.openDeliveries()
            let changes = ChangeSet().delivering(1, to: ["a", "b"]).delivering(2, to: ["b"]).recording(.numbered(3))
            try await fixture.store.commit(changes)

            try requireEqual(try await fixture.lease("a").numbers, [["1"]], "the list of deliveries for a")
            try requireEqual(try await fixture.lease("b").numbers, [["1", "2"]], "the list of deliveries for b")
            try requireEqual(try await fixture.lease("c").numbers, [], "the list of deliveries for c")
        },
        Check("a delivery carries the event as it was recorded, with its position and its origin") { fixture in
            let fixture = try await fixture.openDeliveries()
            for (number, text) in edgeCaseTexts.enumerated() {
                let event = NewEvent(
                    id: .version7(),
                    name: text,
                    version: number + 1,
                    stream: EntityReference(kind: "kind \(text)", key: text),
                    recordedAt: DeliveryFixture.date(Double(number)),
                    json: try JSONEncoder().encode([text]),
                    origin: MessageOrigin(
                        causationID: UUID(),
                        correlationID: UUID(),
                        principalID: text,
                        trace: [text: text]
                    )
                )
                var changes = ChangeSet(events: [event])
                changes.deliveries = [ChangeSet.NewDelivery(event: 0, subscription: "to \(text)")]
                try await fixture.store.commit(changes)
                let record = try await fixture.store.events(after: 0, limit: .max).last

                let delivery = try await fixture.leaseOne("to \(text)").first

                try requireEqual(record?.event, event, "the event in the log")
                try requireEqual(delivery?.content, record.map { .event($0) }, "the content of the delivery")
                try requireEqual(delivery?.position, record?.position, "the position")
                try requireEqual(delivery?.subscription, "to \(text)", "the subscription")
                try requireEqual(delivery?.isReplay, false, "whether it is a replay")
            }
        },
        Check("a lane has one lease at a time, and the next lease has a greater token") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))

            let first = try await fixture.leaseOne(at: 0)
            try requireEqual(
                try await fixture.lease(at: 9.999).numbers, [], "the list of due deliveries during the lease")
            let second = try await fixture.leaseOne(at: 10)

            try requireEqual(first.map(\.attempt), [1], "the first attempt")
            try requireEqual(first.map(\.mayHaveRun), [false], "whether it may have run before the first lease")
            try requireEqual(second.map(\.attempt), [1], "the attempt after a lease that counted nothing")
            try requireEqual(second.map(\.mayHaveRun), [true], "whether it may have run under the first lease")
            try requireEqual(second.first?.lease.lane, first.first?.lease.lane, "the lane")
            try require(
                (second.first?.lease.token ?? 0) > (first.first?.lease.token ?? 0),
                "the second token is greater"
            )
        },
        Check("within a stream deliveries are in the order of the log, and streams do not wait for others") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, of: "x").delivering(3, of: "y"))
            try await fixture.store.commit(
                ChangeSet().delivering(4, of: "x").delivering(5, of: nil).delivering(6, of: nil)
            )

            let lanes = try await fixture.lease()

            try requireEqual(lanes.numbers, [["1", "2", "4"], ["3"], ["5"], ["6"]], "the lanes")
        },
        Check("an event that is added to a leased lane waits until the lease has ended") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let first = try await fixture.leaseOne()
            try await fixture.store.commit(ChangeSet().delivering(2))

            try requireEqual(try await fixture.lease(at: 1).numbers, [], "the list of due deliveries")
            try await fixture.settle(first, acknowledged: 1, end: .finished(now: DeliveryFixture.date(1)))

            try requireEqual(try await fixture.leaseOne(at: 1).numbers, ["2"], "the list of due deliveries then")
        },
        Check("a lease request gets at most the requested lanes and deliveries, from every subscription") { fixture in
            let fixture = try await fixture.openDeliveries()
            var changes = ChangeSet()
            for number in 0..<UInt8(20) { changes = changes.delivering(number, of: nil, to: ["a"]) }
            try await fixture.store.commit(changes.delivering(20, 21, 22, of: "x", to: ["b"]))

            let lanes = try await fixture.lease("a", "b", lanes: 4, run: 2)

            try requireEqual(lanes.numbers, [["0"], ["1"], ["20", "21"], ["2"]], "the list of leased deliveries")
            try requireEqual(
                try await fixture.lease("a", lanes: 2, run: 2).numbers, [["3"], ["4"]], "the list of lanes leased next")
        },
        Check("deliveries of a lease that ended without an outcome are leased one at a time, and marked") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3))
            _ = try await fixture.leaseOne(at: 0)

            // The process that held the lease ended. The first delivery may be the cause.
            let second = try await fixture.leaseOne(at: 20)
            try requireEqual(second.numbers, ["1"], "the list of leased deliveries")
            try requireEqual(second.map(\.mayHaveRun), [true], "whether it may have run")
            try await fixture.settle(second, acknowledged: 1, end: .finished(now: DeliveryFixture.date(20)))

            let third = try await fixture.leaseOne(at: 20)
            try requireEqual(third.numbers, ["2"], "the next delivery, which was leased with the first")
            try requireEqual(third.map(\.mayHaveRun), [true], "whether it may have run")
            try await fixture.store.commit(ChangeSet().delivering(4, 5))
            try await fixture.settle(third, acknowledged: 1, end: .finished(now: DeliveryFixture.date(20)))
            let fourth = try await fixture.leaseOne(at: 20)
            try requireEqual(fourth.numbers, ["3"], "the last delivery that was leased with it")
            try await fixture.settle(fourth, acknowledged: 1, end: .finished(now: DeliveryFixture.date(20)))

            let fifth = try await fixture.leaseOne(at: 20)
            try requireEqual(fifth.numbers, ["4", "5"], "the list of later deliveries")
            try requireEqual(fifth.map(\.attempt), [1, 1], "their attempts")
            try requireEqual(fifth.map(\.mayHaveRun), [false, false], "whether they may have run")
        },
        Check("a lease counts no attempt, however often it ends without an outcome") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, of: "x").delivering(3, of: nil))
            try await fixture.store.commit(ChangeSet().scheduling("later", at: 0))

            for round in 0..<15 {
                let lanes = try await fixture.lease("a", ScheduledMessage.subscription, at: Double(20 * round))
                try requireEqual(lanes.count, 3, "the number of lanes in round \(round)")
                try requireEqual(Set(lanes.joined().map(\.attempt)), [1], "the attempts in round \(round)")
                try requireEqual(
                    Set(lanes.joined().map(\.mayHaveRun)), [round > 0], "whether they may have run in round \(round)"
                )
            }
        },
        Check("a renewed lease is extended, and a lost lease cannot be renewed") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let lease = try await fixture.leaseOne(at: 0)[0].lease

            try requireEqual(
                try await fixture.store.renew([lease], until: DeliveryFixture.date(30)), [], "the list of lost leases")
            try requireEqual(
                try await fixture.lease(at: 29).numbers, [], "the list of due deliveries after the renewal")
            _ = try await fixture.leaseOne(at: 30)
            try requireEqual(
                try await fixture.store.renew([lease], until: DeliveryFixture.date(60)),
                [lease],
                "the list of lost leases after another lease"
            )
        },
        Check("a batch contains retried and new deliveries") { fixture in
            let fixture = try await fixture.openDeliveries()
            var changes = ChangeSet()
            for number in 0..<UInt8(4) { changes = changes.delivering(number, of: nil) }
            try await fixture.store.commit(changes)
            for lane in try await fixture.lease() {
                try await fixture.settle(lane, end: .retry(at: DeliveryFixture.date(1)))
            }
            for number in 4..<UInt8(8) { try await fixture.store.commit(ChangeSet().delivering(number, of: nil)) }

            let lanes = try await fixture.lease(at: 2, lanes: 4)

            try requireEqual(lanes.numbers, [["0"], ["1"], ["4"], ["5"]], "the list of leased deliveries")
        },
        Check("a lease request returns the next due date, and a commit signals deliveries") { fixture in
            let fixture = try await fixture.openDeliveries()
            let before = fixture.store.deliverySignal.position
            try await fixture.store.commit(ChangeSet().delivering(1).scheduling("later", at: 50))
            try require(fixture.store.deliverySignal.position > before, "a commit with deliveries signals")
            let request = LeaseRequest(
                subscriptions: ["a", ScheduledMessage.subscription],
                laneLimit: 10,
                batchLimit: 10,
                now: DeliveryFixture.date(0),
                duration: .seconds(100)
            )

            let leased = try await fixture.store.lease(request)
            let again = try await fixture.store.lease(request)

            try requireEqual(leased.lanes.numbers, [["1"]], "the list of leased deliveries")
            try requireEqual(leased.nextDue, DeliveryFixture.date(50), "the next due date")
            try requireEqual(again.lanes.numbers, [], "the list of lanes leased next")
            try requireEqual(again.nextDue, DeliveryFixture.date(50), "the next due date then")
        },
        Check("tasks that lease at the same time share the lanes") { fixture in
            let fixture = try await fixture.openDeliveries()
            var changes = ChangeSet()
            for number in 0..<UInt8(100) { changes = changes.delivering(number, of: "\(number % 25)") }
            try await fixture.store.commit(changes)

            let given = try await withThrowingTaskGroup(of: [[Delivery]].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var given: [[Delivery]] = []
                        while true {
                            let lanes = try await fixture.lease(lanes: 2, run: 2)
                            if lanes.isEmpty { return given }
                            given += lanes
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }

            try requireEqual(given.count, 25, "the number of leases")
            try requireEqual(Set(given.compactMap { $0.first?.lease.lane }).count, 25, "the number of lanes")
            try require(given.allSatisfy { $0.count == 2 }, "each lease has a batch of 2")
        },
    ]
}
