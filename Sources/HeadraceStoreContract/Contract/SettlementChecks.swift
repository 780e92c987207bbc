// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static let settlementChecks: [Check] = [
        Check("acknowledged deliveries are not delivered again") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3))
            let lane = try await fixture.leaseOne()

            try await fixture.settle(lane, acknowledged: 2)
            try requireEqual(try await fixture.lease(at: 1).numbers, [], "the list of due deliveries during the lease")

            try requireEqual(try await fixture.leaseOne(at: 10).numbers, ["3"], "the list of due deliveries after it")
        },
        Check("a failed delivery waits for its retry, and delays only its own lane") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, of: "x").delivering(3, of: "y"))
            let lanes = try await fixture.lease()
            try await fixture.settle(lanes[0], attempts: 1, end: .retry(at: DeliveryFixture.date(60)))
            try await fixture.settle(lanes[1], acknowledged: 1, end: .finished(now: DeliveryFixture.date(0)))
            try await fixture.store.commit(ChangeSet().delivering(4, of: "x").delivering(5, of: "y"))

            try requireEqual(
                try await fixture.lease(at: 59).numbers, [["5"]], "the list of due deliveries before the retry")
            let retried = try await fixture.leaseOne(at: 60)
            try requireEqual(retried.numbers, ["1"], "the list of due deliveries at the retry")
            try requireEqual(retried.map(\.attempt), [2], "its attempt")
        },
        Check("a failure after handled deliveries counts for the failed delivery only") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3))
            let lane = try await fixture.leaseOne()

            try await fixture.settle(lane, acknowledged: 1, attempts: 1, end: .retry(at: DeliveryFixture.date(1)))
            let second = try await fixture.leaseOne(at: 1)
            try requireEqual(second.numbers, ["2"], "the list of due deliveries")
            try requireEqual(second.map(\.attempt), [2], "its attempt")
            try await fixture.settle(second, acknowledged: 1, end: .finished(now: DeliveryFixture.date(1)))
            try requireEqual(
                try await fixture.leaseOne(at: 1).map(\.attempt), [1], "the attempt at a delivery that was not begun")
        },
        Check("a released delivery is due immediately, and its attempt does not count") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3))
            for handled in 0...1 {
                let lane = try await fixture.leaseOne(at: 5)
                try requireEqual(lane.first?.attempt, 1, "the attempt")
                try await fixture.settle(lane, attempts: handled + 1)
                let end = Settlement.End.released(now: DeliveryFixture.date(5))
                try await fixture.settle(lane, acknowledged: handled, attempts: 0, end: end)
            }

            let lane = try await fixture.leaseOne(at: 5)
            try requireEqual(lane.numbers, ["2", "3"], "the list of due deliveries")
            try requireEqual(lane.map(\.attempt), [1, 1], "the attempts")
            try requireEqual(lane.map(\.mayHaveRun), [false, false], "whether they may have run")
        },
        Check("an attempt counts when a settlement reports it, and repeating the report does not count again") {
            fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2).scheduling("later", at: 0))
            for subscription in ["a", ScheduledMessage.subscription] {
                for attempt in 1...3 {
                    let lane = try await fixture.leaseOne(subscription, at: Double(attempt * 20))
                    try requireEqual(lane.first?.attempt, attempt, "the attempt")
                    try requireEqual(lane.first?.mayHaveRun, attempt > 1, "whether it may have run")
                    try await fixture.settle(lane, attempts: attempt)
                    try await fixture.settle(lane, attempts: attempt)
                }
                // The fourth attempt has an outcome, so the fifth is not suspected of ending the process.
                let fourth = try await fixture.leaseOne(subscription, at: 80)
                try requireEqual(fourth.map(\.attempt), [4], "the attempt at the first alone")
                try await fixture.settle(fourth, attempts: 4, end: .retry(at: DeliveryFixture.date(80)))
                let fifth = try await fixture.leaseOne(subscription, at: 80)
                try requireEqual(fifth.map(\.attempt), [5], "the attempt after a failure")
                try requireEqual(fifth.map(\.mayHaveRun), [false], "whether it may have run after a failure")
                try await fixture.settle(fifth, acknowledged: 1, end: .finished(now: DeliveryFixture.date(80)))
            }
            try requireEqual(try await fixture.leaseOne(at: 80).map(\.attempt), [1], "the attempt at the next")
        },
        Check("a lease that ends before a handler runs keeps the state of the lease before it") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2))
            try await fixture.settle(try await fixture.leaseOne(at: 0), attempts: 1)
            let now = Settlement.End.finished(now: DeliveryFixture.date(20))

            for _ in 0..<3 {
                let lane = try await fixture.leaseOne(at: 20)
                try requireEqual(lane.numbers, ["1"], "the list of leased deliveries")
                try requireEqual(lane.map(\.attempt), [2], "its attempt")
                try requireEqual(lane.map(\.mayHaveRun), [true], "whether it may have run")
                try await fixture.settle(lane, attempts: 2)
                try await fixture.settle(lane, attempts: 1, end: now)
            }
        },
        Check("a settlement may repeat deliveries that were already settled") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3, 4))
            let lane = try await fixture.leaseOne()
            var settlement = lane.settlement(acknowledged: 1)
            settlement.failures = [lane[1].failure("broken", at: DeliveryFixture.date(0))]
            _ = try await fixture.store.settle([settlement])

            settlement.acknowledged += [lane[2].position]
            try await fixture.store.commit(ChangeSet().settling(settlement))
            let refused = try await fixture.store.settle([settlement])

            try requireEqual(refused, [], "the list of refused leases")
            try requireEqual(try await fixture.leaseOne(at: 20).numbers, ["4"], "the list of remaining deliveries")
            let letters = try await fixture.store.deadLetters(after: 0, of: nil, limit: 9)
            try requireEqual(letters.map(\.content.number), ["2"], "the dead letters")
        },
        Check("a settlement of an old lease is refused completely, and the other settlements are not") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, of: "x").delivering(3, of: "y"))
            let old = try await fixture.lease(at: 0)
            let new = try await fixture.lease("a", at: 10, lanes: 1)
            let ends: [Settlement.End?] = [
                nil, .finished(now: DeliveryFixture.date(10)), .retry(at: DeliveryFixture.date(10)),
                .released(now: DeliveryFixture.date(10)),
            ]
            for end in ends {
                let refused = try await fixture.store.settle([
                    old[0].settlement(acknowledged: 1, end: end),
                    old[1].settlement(acknowledged: 1),
                ])
                try requireEqual(refused, [old[0][0].lease], "the list of refused leases")
            }

            try await fixture.settle(new[0], acknowledged: 1, end: .finished(now: DeliveryFixture.date(10)))
            let refused = try await fixture.store.settle([new[0].settlement(acknowledged: 1)])
            try requireEqual(refused, [new[0][0].lease], "the list of refused leases after the end")
            try requireEqual(try await fixture.leaseOne(at: 20).numbers, ["2"], "the list of remaining deliveries")
        },
        Check("a lease of a deleted lane is refused, even if the stream has a new lane") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let old = try await fixture.leaseOne()
            try await fixture.settle(old, acknowledged: 1, end: .finished(now: DeliveryFixture.date(0)))
            try await fixture.store.commit(ChangeSet().delivering(2))
            let new = try await fixture.leaseOne()

            let refused = try await fixture.store.settle([old.settlement(acknowledged: 1)])

            try requireEqual(refused, [old[0].lease], "the list of refused leases")
            try require(new[0].lease.lane != old[0].lease.lane, "the number of a lane is not used again")
        },
        Check("a commit with a settlement is atomic") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2))
            let old = try await fixture.leaseOne(at: 0)
            let new = try await fixture.leaseOne(at: 10)
            let write = try ChangeSet().inserting(Draft(key: "x")).delivering(3, to: ["b"])

            try await fixture.store.refuse(
                write.settling(old.settlement(acknowledged: 1)).remembering("key"),
                with: .leaseLost,
                "a commit under an old lease"
            )
            let stored = try await fixture.store.fetch(DocumentQuery(kind: ContractEntity.entityName))
            try requireKeys(stored, [], "the store")
            try requireEqual(try await fixture.lease("b", at: 0).numbers, [], "the list of deliveries for b")
            try requireEqual(try await fixture.store.idempotencyRecord(for: "key"), nil, "the key")

            let draft = Draft(key: "y")
            try await fixture.store.refuse(
                try write.settling(new.settlement(acknowledged: 1)).updating(draft, at: 7, to: draft),
                with: .versionConflict,
                "a commit with a conflict"
            )
            try await fixture.store.commit(write.settling(new.settlement(acknowledged: 1)))
            try requireEqual(try await fixture.lease("b", at: 0).numbers, [["3"]], "the list of deliveries for b then")
            try requireEqual(
                try await fixture.leaseOne(at: 20).numbers, ["2"], "the list of remaining deliveries for a")
        },
        Check(
            "a settlement of later deliveries is refused while the lane has an earlier one, and the lease stays valid"
        ) {
            fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3).scheduling("later", at: 0))
            let lane = try await fixture.leaseOne()
            var late = Array(lane.dropFirst()).settlement(acknowledged: 1)
            late.firstPosition = lane[1].position
            var failed = lane.settlement(acknowledged: 0, end: .finished(now: DeliveryFixture.date(0)))
            failed.failures = [lane[2].failure("broken", at: DeliveryFixture.date(0))]
            failed.firstPosition = lane[2].position
            let write = try ChangeSet().inserting(Draft(key: "x")).delivering(4, to: ["b"])

            let refused = try await fixture.store.settle([late, failed])
            try requireEqual(refused, [lane[0].lease, lane[0].lease], "the list of refused leases")
            try await fixture.store.refuse(write.settling(late), with: .leaseLost, "a commit that settles too much")
            let stored = try await fixture.store.fetch(DocumentQuery(kind: ContractEntity.entityName))
            try requireKeys(stored, [], "the store")
            let lost = try await fixture.store.renew([lane[0].lease], until: DeliveryFixture.date(10))
            try requireEqual(lost, [], "the list of lost leases")

            var next = lane.settlement(acknowledged: 2)
            next.firstPosition = lane[0].position
            let scheduled = try await fixture.leaseOne(ScheduledMessage.subscription)
            var message = scheduled.settlement(acknowledged: 1, end: .finished(now: DeliveryFixture.date(0)))
            message.firstPosition = scheduled[0].position
            // The second is a repetition, and the third follows them.
            failed.firstPosition = lane[2].position
            let accepted = try await fixture.store.settle([next, next, message, failed])
            try requireEqual(accepted, [], "the list of refused leases in order")
            try requireEqual(try await fixture.lease(at: 20).numbers, [], "the list of due deliveries")
            let letters = try await fixture.store.deadLetters(after: 0, of: nil, limit: 9)
            try requireEqual(letters.map(\.content.number), ["3"], "the dead letters")
        },
        Check("a lease that is given back after a refusal begins the lane at its first delivery") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3))
            let lane = try await fixture.leaseOne()
            var late = lane.settlement(acknowledged: 3, end: .finished(now: DeliveryFixture.date(1)))
            late.firstPosition = lane[2].position
            _ = try await fixture.store.settle([late])

            try await fixture.settle(lane, end: .finished(now: DeliveryFixture.date(1)))

            let again = try await fixture.leaseOne(at: 1)
            try requireEqual(again.numbers, ["1"], "the list of due deliveries")
            try requireEqual(again.map(\.mayHaveRun), [true], "whether they may have run")
        },
        Check("a commit that ends its lease releases the lane") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let lane = try await fixture.leaseOne()
            try await fixture.store.commit(ChangeSet().delivering(2))

            let end = Settlement.End.finished(now: DeliveryFixture.date(1))
            try await fixture.store.commit(ChangeSet().settling(lane.settlement(acknowledged: 1, end: end)))

            try requireEqual(try await fixture.leaseOne(at: 1).numbers, ["2"], "the list of due deliveries")
        },
    ]
}
