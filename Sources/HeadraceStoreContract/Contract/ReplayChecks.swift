// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage

extension StoreContract {
    static let replayChecks: [Check] = [
        Check("a replay delivers handled events again to one subscription, before pending events") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(
                ChangeSet().delivering(1, 2, of: "x", to: ["a", "b"]).delivering(3, of: "y"))
            for lane in try await fixture.lease("a") {
                try await fixture.settle(lane, acknowledged: lane.count, end: .finished(now: DeliveryFixture.date(0)))
            }
            try await fixture.store.commit(ChangeSet().delivering(4, of: "x"))
            let first = try await fixture.store.events(after: 0, limit: 1)[0].position

            let count = try await fixture.store.replay("a", eventsNamed: ["numbered"], after: first)

            try requireEqual(count, 2, "the number of replayed events")
            let lanes = try await fixture.lease("a", at: 1).sorted { $0.count > $1.count }
            try requireEqual(lanes.numbers, [["2", "4"], ["3"]], "the list of due deliveries")
            try requireEqual(lanes.map { $0.map(\.isReplay) }, [[true, false], [true]], "whether they are replays")
            try requireEqual(
                try await fixture.lease("b", at: 1).numbers, [["1", "2"]], "the list of due deliveries for b")
        },
        Check("a replay takes only the named events, and does not repeat pending events") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, of: nil).delivering(2, of: "x"))

            for names in [["other"], [], ["numbered"]] as [Set<String>] {
                let count = try await fixture.store.replay("a", eventsNamed: names, after: 0)
                try requireEqual(count, 0, "the number of replayed events of \(names)")
            }

            try requireEqual(try await fixture.lease().numbers, [["1"], ["2"]], "the list of due deliveries")
        },
        Check("a replay ends the leases of its subscription only") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, to: ["a", "b"]))
            let old = try await fixture.leaseOne("a")
            let other = try await fixture.leaseOne("b")

            _ = try await fixture.store.replay("a", eventsNamed: ["numbered"], after: 0)

            let refused = try await fixture.store.settle([
                old.settlement(acknowledged: 1), other.settlement(acknowledged: 1),
            ])
            try requireEqual(refused, [old[0].lease], "the list of refused leases")
            try requireEqual(try await fixture.leaseOne("a").map(\.attempt), [1], "the attempt")
        },
        Check("commits during a replay of many events keep the order of each stream") { fixture in
            let store = try await fixture.openDeliveries().store
            let streams = [EntityReference(kind: "kind", key: "x"), EntityReference(kind: "kind", key: "y"), nil]
            let logged = 10_500
            try await store.commit(ChangeSet(events: (0..<logged).map { .numbered(0, stream: streams[$0 % 3]) }))
            async let replayed = store.replay("a", eventsNamed: ["numbered"], after: 0)
            let commits = 30
            for number in 0..<commits {
                try await store.commit(ChangeSet().delivering(1, of: number % 2 == 0 ? "x" : "y"))
            }
            // Events that are committed before the replay begins are pending, and aren't repeated.
            try requireEqual(try await replayed, logged, "the number of replayed events")

            let request = LeaseRequest(
                subscriptions: ["a"], laneLimit: 2 * logged, batchLimit: logged, now: DeliveryFixture.date(0),
                duration: .seconds(10))
            let lanes = try await store.lease(request).lanes
            try requireEqual(
                Array(lanes.map(\.count).sorted().suffix(3)), [1, 3515, 3515], "the numbers of deliveries by lane")
            for lane in lanes {
                let positions = lane.map(\.position)
                try requireEqual(positions, positions.sorted(), "the order of a lane")
                try requireEqual(
                    lane.map(\.isReplay), lane.map(\.isReplay).sorted { $0 && !$1 }, "whether they are replays")
            }
            try requireEqual(
                Set(lanes.joined().map(\.position)).count, logged + commits, "the number of positions that are due")
        },
        Check("old events are pruned unless they are pending or dead letters") { fixture in
            let fixture = try await fixture.openDeliveries()
            try await fixture.store.commit(ChangeSet().delivering(1, 2, 3, 4).recording(.numbered(5)))
            let lane = try await fixture.leaseOne(run: 2)
            try await fixture.settle(lane, acknowledged: 1)
            try await fixture.giveUp(Array(lane.dropFirst()))
            let recorded = NewEvent.numbered(0).recordedAt

            let young = PruneRequest(eventsBefore: recorded)
            try requireEqual(try await fixture.store.prune(young), 0, "the number of pruned events that are too young")
            try requireEqual(try await fixture.store.prunedPosition(), 0, "the position before any event is pruned")
            let all = try await fixture.store.events(after: 0, limit: .max).map(\.position)
            let request = PruneRequest(eventsBefore: recorded.addingTimeInterval(1), limit: 1)
            var counts: [Int] = []
            repeat { counts.append(try await fixture.store.prune(request)) } while counts.last == 1

            try requireEqual(counts, [1, 1, 0], "the list of numbers of pruned events")
            // The second event is a dead letter, and two are pending.
            try requireEqual(try await fixture.store.prunedPosition(), all[4], "the position of the last pruned event")
            let left = try await fixture.store.events(after: 0, limit: .max)
            try requireEqual(left.map { $0.event.id.uuid.15 }, [2, 3, 4], "the list of remaining events")
            try await fixture.store.commit(ChangeSet().delivering(6))
            let last = try await fixture.store.events(after: left.last?.position ?? 0, limit: 9)
            try requireEqual(last.map { $0.event.id.uuid.15 }, [6], "the list of later events")
            try requireEqual(try await fixture.leaseOne(at: 20).numbers.first, "3", "the list of due deliveries")
        },
    ]
}
