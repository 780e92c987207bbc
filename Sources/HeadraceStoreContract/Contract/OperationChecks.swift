// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static let operationChecks: [Check] = [
        Check("a delivery that waits for its next attempt can be retried at once, with its attempts") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, of: "x").delivering(3, of: "y"))
            let lanes = try await fixture.lease()
            let now = DeliveryFixture.date(1)
            try await fixture.settle(lanes[0], attempts: 3, end: .retry(at: DeliveryFixture.date(60), now: now))
            try await fixture.settle(
                lanes[1],
                end: .unknown(name: "new", version: 2, since: now, until: DeliveryFixture.date(90), now: now))
            let before = fixture.store.deliverySignal.position
            let ids = try await fixture.pending(at: 2).map(\.id)

            let count = try await fixture.store.retryDeliveries(ids + ids, now: DeliveryFixture.date(2))

            try requireEqual(count, 2, "the number of retried deliveries")
            try require(fixture.store.deliverySignal.position > before, "a retry signals relays")
            let retried = try await fixture.lease(at: 2)
            try requireEqual(retried.numbers, [["1"], ["3"]], "the list of due deliveries")
            try requireEqual(retried.map { $0[0].attempt }, [4, 1], "their attempts")
            try requireEqual(retried.map { $0[0].mayHaveRun }, [false, false], "whether they may have run")
        },
        Check("deliveries that wait for no attempt aren't retried") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, of: "x"))
            let running = try await fixture.leaseOne()
            try await fixture.store.commit(ChangeSet().delivering(2, of: "y").scheduling("later", at: 50))
            let all = try await fixture.pending(at: 1)
            try requireEqual(all.map(\.state), [.waiting, .running, .scheduled], "the states")

            let ids = all.map(\.id) + [PendingDelivery.ID(lane: 4_711, position: 1)]
            try requireEqual(
                try await fixture.store.retryDeliveries(ids, now: DeliveryFixture.date(1)), 0, "the retried deliveries")

            try requireEqual(try await fixture.pending(at: 1).map(\.seen), all.map(\.seen), "the pending deliveries")
            try await fixture.settle(running, acknowledged: 1, end: .finished(now: DeliveryFixture.date(1)))
        },
        Check("a cancelled delivery is a dead letter, and the next of its stream is due") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, of: "x"))
            let lane = try await fixture.leaseOne()
            let end = Settlement.End.retry(at: DeliveryFixture.date(60), now: DeliveryFixture.date(0))
            try await fixture.settle(lane, attempts: 3, end: end)
            let first = try await fixture.pending(.retrying, at: 1).map(\.id)

            let count = try await fixture.store.cancelDeliveries(
                first + first, reason: "no \0 longer", now: DeliveryFixture.date(1))

            try requireEqual(count, 1, "the number of cancelled deliveries")
            let letters = try await fixture.store.deadLetters(after: 0, of: "a", limit: 9)
            try requireEqual(letters.map(\.content.number), ["1"], "the dead letters")
            try requireEqual(letters.map(\.reason), ["no \0 longer"], "their reasons")
            try requireEqual(letters.map(\.attempts), [3], "their attempts")
            try requireEqual(letters.map(\.date), [DeliveryFixture.date(1)], "their dates")
            let next = try await fixture.leaseOne(at: 1)
            try requireEqual(next.numbers, ["2"], "the list of due deliveries")
            try requireEqual(next.map(\.attempt), [1], "the attempt")
            try requireEqual(try await fixture.store.replayDeadLetters(letters.map(\.id)), 1, "the replayed letters")
            try requireEqual(try await fixture.lease(at: 1).numbers, [["1"]], "the replayed delivery")
        },
        Check("a running delivery can't be cancelled, and its lease survives the cancellation of a later one") {
            fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, of: "x"))
            let lane = try await fixture.leaseOne()
            try await fixture.store.commit(ChangeSet().delivering(2, 3, of: "x"))
            let ids = try await fixture.pending(at: 1).prefix(2).map(\.id)

            let count = try await fixture.store.cancelDeliveries(ids, reason: "no", now: DeliveryFixture.date(1))

            try requireEqual(count, 1, "the number of cancelled deliveries")
            try await fixture.settle(lane, acknowledged: 1, end: .finished(now: DeliveryFixture.date(2)))
            try requireEqual(try await fixture.leaseOne(at: 2).numbers, ["3"], "the list of due deliveries")
        },
        Check("a late outcome of a cancelled delivery is refused") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, of: "x").delivering(3, of: "y"))
            let lanes = try await fixture.lease(for: .seconds(5))
            let ids = try await fixture.pending(at: 9).filter { $0.content.number != "2" }.map(\.id)

            let count = try await fixture.store.cancelDeliveries(ids, reason: "no", now: DeliveryFixture.date(9))

            try requireEqual(count, 2, "the number of cancelled deliveries")
            for lane in lanes {
                try await fixture.store.refuse(
                    ChangeSet().settling(lane.settlement(acknowledged: 1)), with: .leaseLost, "a late outcome")
            }
            try requireEqual(try await fixture.leaseOne(at: 9).numbers, ["2"], "the list of due deliveries")
        },
        Check("a cancelled scheduled message doesn't take effect until it is replayed") { fixture in
            let fixture = try await fixture.openDeliveries()
            let scheduled = ScheduledMessage.subscription
            try await fixture.store.commit(ChangeSet().scheduling("one", at: 50).scheduling("two", at: 60))
            let ids = try await fixture.pending(.scheduled, at: 0).prefix(1).map(\.id)

            let count = try await fixture.store.cancelDeliveries(ids, reason: "no", now: DeliveryFixture.date(0))

            try requireEqual(count, 1, "the number of cancelled messages")
            try requireEqual(try await fixture.lease(scheduled, at: 70).numbers, [["two"]], "the due messages")
            let letters = try await fixture.store.deadLetters(after: 0, of: scheduled, limit: 9)
            try requireEqual(letters.map(\.content.number), ["one"], "the dead letters")
            _ = try await fixture.store.replayDeadLetters(letters.map(\.id))
            try requireEqual(try await fixture.lease(scheduled, at: 70).numbers, [["one"]], "the replayed message")
        },
    ]
}
