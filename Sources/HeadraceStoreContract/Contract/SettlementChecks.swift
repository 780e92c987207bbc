//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceStorage

extension StoreContract {
    static let settlementChecks: [Check] = [
        Check("what is acknowledged is not delivered again") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3))
            let lane = try await fixture.leaseOne()

            try await fixture.settle(lane, acknowledged: 2)
            try requireEqual(try await fixture.lease(at: 1).numbers, [], "what is due while the lease goes on")

            try requireEqual(try await fixture.leaseOne(at: 10).numbers, ["3"], "what is due after it")
        },
        Check("what failed waits for its time, and only the rest of its lane with it") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, of: "x").delivering(3, of: "y"))
            let lanes = try await fixture.lease()
            try await fixture.settle(lanes[0], attempts: 1, end: .retry(at: DeliveryFixture.date(60)))
            try await fixture.settle(lanes[1], acknowledged: 1, end: .finished(now: DeliveryFixture.date(0)))
            try await fixture.store.commit(ChangeSet().delivering(4, of: "x").delivering(5, of: "y"))

            try requireEqual(try await fixture.lease(at: 59).numbers, [["5"]], "what is due before its time")
            let retried = try await fixture.leaseOne(at: 60)
            try requireEqual(retried.numbers, ["1"], "what is due at its time")
            try requireEqual(retried.map(\.attempt), [2], "its attempt")
        },
        Check("a failure after what was handled counts for the one that failed") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3))
            let lane = try await fixture.leaseOne()

            try await fixture.settle(lane, acknowledged: 1, attempts: 1, end: .retry(at: DeliveryFixture.date(1)))
            let second = try await fixture.leaseOne(at: 1)
            try requireEqual(second.numbers, ["2"], "what is due")
            try requireEqual(second.map(\.attempt), [2], "its attempt")
            try await fixture.settle(second, acknowledged: 1, end: .finished(now: DeliveryFixture.date(1)))
            try requireEqual(try await fixture.leaseOne(at: 1).map(\.attempt), [1], "the attempt at what was not begun")
        },
        Check("what is handed back is due at once, and its attempt does not count") { fixture in
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
            try requireEqual(lane.numbers, ["2", "3"], "what is due")
            try requireEqual(lane.map(\.attempt), [1, 1], "the attempts")
            try requireEqual(lane.map(\.mayHaveRun), [false, false], "whether they may have run")
        },
        Check("an attempt counts when a settlement says so, once however often that is stored") { fixture in
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
                // The fourth has an outcome, and the fifth is no suspect.
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
        Check("a lease that ends before anything has run keeps what is known of the lease before") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2))
            try await fixture.settle(try await fixture.leaseOne(at: 0), attempts: 1)
            let now = Settlement.End.finished(now: DeliveryFixture.date(20))

            for _ in 0..<3 {
                let lane = try await fixture.leaseOne(at: 20)
                try requireEqual(lane.numbers, ["1"], "what is given")
                try requireEqual(lane.map(\.attempt), [2], "its attempt")
                try requireEqual(lane.map(\.mayHaveRun), [true], "whether it may have run")
                try await fixture.settle(lane, attempts: 2)
                try await fixture.settle(lane, attempts: 1, end: now)
            }
        },
        Check("what was settled already may be settled again with what follows it") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3, 4))
            let lane = try await fixture.leaseOne()
            var settlement = lane.settlement(acknowledged: 1)
            settlement.failures = [lane[1].failure("broken", at: DeliveryFixture.date(0))]
            _ = try await fixture.store.settle([settlement])

            settlement.acknowledged += [lane[2].position]
            try await fixture.store.commit(ChangeSet().settling(settlement))
            let refused = try await fixture.store.settle([settlement])

            try requireEqual(refused, [], "what is refused")
            try requireEqual(try await fixture.leaseOne(at: 20).numbers, ["4"], "what is left")
            let letters = try await fixture.store.deadLetters(after: 0, of: nil, limit: 9)
            try requireEqual(letters.map(\.content.number), ["2"], "the dead letters")
        },
        Check("a settlement under an old lease is refused whole, whichever it is, and the others are not") { fixture in
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
                try requireEqual(refused, [old[0][0].lease], "what is refused")
            }

            try await fixture.settle(new[0], acknowledged: 1, end: .finished(now: DeliveryFixture.date(10)))
            let refused = try await fixture.store.settle([new[0].settlement(acknowledged: 1)])
            try requireEqual(refused, [new[0][0].lease], "what is refused after its end")
            try requireEqual(try await fixture.leaseOne(at: 20).numbers, ["2"], "what is left")
        },
        Check("a lease of a lane that is gone is refused, also when the stream has a lane again") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let old = try await fixture.leaseOne()
            try await fixture.settle(old, acknowledged: 1, end: .finished(now: DeliveryFixture.date(0)))
            try await fixture.store.commit(ChangeSet().delivering(2))
            let new = try await fixture.leaseOne()

            let refused = try await fixture.store.settle([old.settlement(acknowledged: 1)])

            try requireEqual(refused, [old[0].lease], "what is refused")
            try require(new[0].lease.lane != old[0].lease.lane, "the number of a lane is not used again")
        },
        Check("a commit that settles does both or neither") { fixture in
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
            try requireEqual(try await fixture.lease("b", at: 0).numbers, [], "what b is given")
            try requireEqual(try await fixture.store.idempotencyRecord(for: "key"), nil, "the key")

            let draft = Draft(key: "y")
            try await fixture.store.refuse(
                try write.settling(new.settlement(acknowledged: 1)).updating(draft, at: 7, to: draft),
                with: .versionConflict,
                "a commit with a conflict"
            )
            try await fixture.store.commit(write.settling(new.settlement(acknowledged: 1)))
            try requireEqual(try await fixture.lease("b", at: 0).numbers, [["3"]], "what b is given then")
            try requireEqual(try await fixture.leaseOne(at: 20).numbers, ["2"], "what is left for a")
        },
        Check("a commit that ends its lease frees the lane") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let lane = try await fixture.leaseOne()
            try await fixture.store.commit(ChangeSet().delivering(2))

            let end = Settlement.End.finished(now: DeliveryFixture.date(1))
            try await fixture.store.commit(ChangeSet().settling(lane.settlement(acknowledged: 1, end: end)))

            try requireEqual(try await fixture.leaseOne(at: 1).numbers, ["2"], "what is due")
        },
    ]
}
