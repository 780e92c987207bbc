// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceStorage

/// A relay sends the time of its clock, which may be wrong.
extension StoreContract {
    /// Seconds by which a wrong clock is ahead: 27 years.
    private static let ahead = 850_000_000.0

    static let clockChecks: [Check] = [
        Check("a lease that was granted by a clock that is ahead ends after its duration") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let first = try await fixture.leaseOne(at: ahead)

            try requireEqual(
                try await fixture.lease(at: 0).numbers, [], "the list of due deliveries after the clock is corrected")
            try requireEqual(
                try await fixture.lease(at: 9.999).numbers, [], "the list of due deliveries before the lease ends")
            let second = try await fixture.leaseOne(at: 10)

            try requireEqual(second.numbers, ["1"], "the list of due deliveries when the lease has ended")
            let refused = try await fixture.store.settle([first.settlement(acknowledged: 1)])
            try requireEqual(refused.count, 1, "the number of refused settlements under the first lease")
        },
        Check("a lease that was renewed by a clock that is ahead ends after its duration") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let lease = try await fixture.leaseOne(at: ahead)[0].lease
            _ = try await fixture.store.renew([lease], until: DeliveryFixture.date(ahead + 3 * 10))

            try requireEqual(
                try await fixture.lease(at: 0).numbers, [], "the list of due deliveries after the clock is corrected")
            try requireEqual(
                try await fixture.leaseOne(at: 10).numbers, ["1"], "the list of due deliveries after 10 seconds")
        },
        Check("a retry that was requested by a clock that is ahead waits for the requested time") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1).delivering(2, of: "y"))
            let (later, now) = (DeliveryFixture.date(ahead + 60), DeliveryFixture.date(ahead))
            let lanes = try await fixture.lease(at: ahead)
            try await fixture.settle(lanes[0], end: .retry(at: later, now: now))
            try await fixture.settle(lanes[1], end: .released(now: now))

            try requireEqual(
                try await fixture.lease(at: 0).numbers, [["2"]],
                "the list of due deliveries after the clock is corrected")
            try requireEqual(
                try await fixture.lease(at: 59).numbers, [["2"]], "the list of due deliveries before the retry")
            try requireEqual(try await fixture.leaseOne(at: 60).numbers, ["1"], "the list of due deliveries then")
        },
        Check("clocks that differ by less than a lease end no lease early") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            _ = try await fixture.leaseOne(at: 5)

            try requireEqual(
                try await fixture.lease(at: 0).numbers, [], "the list of due deliveries for a clock that is behind")
            try requireEqual(
                try await fixture.lease(at: 14.999).numbers, [], "the list of due deliveries before the lease ends")
            try requireEqual(
                try await fixture.leaseOne(at: 15).numbers, ["1"], "the list of due deliveries when it has ended")
        },
        Check("clocks that differ by less than a lease end no lease early, whenever the store checks clocks") {
            fixture in
            let fixture = try await fixture.openDeliveries()
            // A store may check clocks once per duration of a lease: with the first request, and with the third.
            try requireEqual(
                try await fixture.lease(at: 20).numbers, [], "the list of due deliveries in an empty store")
            try await fixture.store.commit(ChangeSet().delivering(1))
            _ = try await fixture.leaseOne(at: 15)

            try requireEqual(
                try await fixture.lease(at: 10).numbers, [], "the list of due deliveries for a clock that is behind")
            try requireEqual(
                try await fixture.lease(at: 24.999).numbers, [], "the list of due deliveries before the lease ends")
            try requireEqual(
                try await fixture.leaseOne(at: 25).numbers, ["1"], "the list of due deliveries when it has ended")
        },
        Check("a delay that began on a clock that is ahead begins when the clock is right") { fixture in
            let fixture = try await fixture.openDeliveries()
            let (delayed, fixed) = (ChangeSet().scheduling("delayed", at: ahead + 60, since: ahead), ahead + 60)
            try await fixture.store.commit(delayed.scheduling("fixed", at: fixed))

            for seconds in [0, 59.999] {
                let lanes = try await fixture.lease(ScheduledMessage.subscription, at: seconds)
                try requireEqual(lanes.numbers, [], "the list of due messages after \(seconds) seconds")
            }
            let due = try await fixture.lease(ScheduledMessage.subscription, at: 60)
            try requireEqual(due.numbers, [["delayed"]], "the list of due messages after 60 seconds")
            try await fixture.settle(due[0], acknowledged: 1, end: .finished(now: DeliveryFixture.date(60)))
            let last = try await fixture.lease(ScheduledMessage.subscription, at: fixed)
            try requireEqual(last.numbers, [["fixed"]], "the list of due messages at the date that was given")
        },
        Check("a delay keeps its end if the clocks differ by less than a lease") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().scheduling("delayed", at: 65, since: 5))

            for seconds in [0, 20, 64.999] {
                let lanes = try await fixture.lease(ScheduledMessage.subscription, at: seconds)
                try requireEqual(lanes.numbers, [], "the list of due messages after \(seconds) seconds")
            }
            let due = try await fixture.lease(ScheduledMessage.subscription, at: 65)
            try requireEqual(due.numbers, [["delayed"]], "the list of due messages after 65 seconds")
        },
        Check("a scheduled message and a long wait keep their dates") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1).scheduling("later", at: 1_000_000))
            let lane = try await fixture.leaseOne(at: 0)
            let now = DeliveryFixture.date(0)
            try await fixture.settle(lane, end: .retry(at: DeliveryFixture.date(1_000_000), now: now))

            for seconds in [0.0, 500, 999_999] {
                let lanes = try await fixture.lease("a", ScheduledMessage.subscription, at: seconds)
                try requireEqual(lanes.numbers, [], "the list of due deliveries after \(seconds) seconds")
            }
            let lanes = try await fixture.lease("a", ScheduledMessage.subscription, at: 1_000_000)
            try requireEqual(lanes.numbers, [["1"], ["later"]], "the list of due deliveries then")
        },
        Check("a time before 1970 or NaN is refused and leases nothing") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))

            for seconds in [-1, -1e12, .nan, .infinity] {
                let now = Date(timeIntervalSince1970: seconds)
                let request = LeaseRequest(
                    subscriptions: ["a"],
                    laneLimit: 1,
                    batchLimit: 1,
                    now: now,
                    duration: .seconds(10)
                )
                do {
                    _ = try await fixture.store.lease(request)
                    try require(false, "the clock is refused", "a lease at \(seconds) seconds is granted")
                } catch let error as StoreError {
                    try requireEqual(error.code, .invalidDate, "the code of the error")
                }
            }
            try requireEqual(try await fixture.leaseOne(at: 0).map(\.attempt), [1], "the attempt with a correct clock")
        },
        Check("dates that are NaN do not crash the process") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1))
            let date = Date(timeIntervalSince1970: .nan)
            let lane = try await fixture.leaseOne(at: 0)

            _ = try await fixture.store.renew([lane[0].lease], until: date)
            _ = try await fixture.store.settle([lane.settlement(acknowledged: 0, end: .retry(at: date, now: date))])
            _ = try await fixture.store.prune(PruneRequest(eventsBefore: date, idempotencyRecordsBefore: date))

            try requireEqual(try await fixture.leaseOne(at: 10).numbers, ["1"], "the list of due deliveries")
        },
    ]
}
