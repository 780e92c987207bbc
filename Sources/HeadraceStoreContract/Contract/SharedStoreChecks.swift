// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceStorage
import Synchronization

/// Several store objects on the same data, as in several processes.
extension StoreContract {
    static let sharedStoreChecks: [Check] = [
        Check("two store objects find each other's commits, and refuse each other's conflicts") { fixture in
            let (one, two) = (try await fixture.open(), try await fixture.open())
            let draft = Draft(key: "a", rank: 1, codes: ["c"])

            try await one.commit(ChangeSet().inserting(draft).recording(.numbered(1)))
            try requireEqual(try await two.find(draft.reference)?.version, 1, "the version found by the other store")
            try await two.commit(ChangeSet().updating(draft, at: 1, to: draft).recording(.numbered(2)))

            try await one.refuse(
                ChangeSet().updating(draft, at: 1, to: draft), with: .versionConflict, "an update of an earlier version"
            )
            try await one.refuse(ChangeSet().inserting(draft), with: .alreadyExists, "an insertion of a taken key")
            try await one.refuse(
                ChangeSet().inserting(Draft(key: "b", codes: ["c"])), with: .uniqueViolation, "a taken unique value")
            for store in [one, two] {
                let log = try await store.events(after: 0, limit: 9)
                try requireEqual(log.map(\.event), [.numbered(1), .numbered(2)], "the log")
                try require(try await store.contents() == one.contents(), "both stores have the same content")
            }
        },
        Check("a reader that follows the log misses no event of the writers of other store objects") { fixture in
            let writers = [try await fixture.open(), try await fixture.open()]
            let reader = try await fixture.open()
            let tasksPerWriter = 4
            let commits = 15
            let total = writers.count * tasksPerWriter * commits
            let isDone = Flag()

            let followed = try await withThrowingTaskGroup(of: [EventRecord].self) { group in
                group.addTask {
                    var records: [EventRecord] = []
                    while records.count < total {
                        // After the last commit, one more read must find everything.
                        let isLast = isDone.isSet
                        records += try await reader.events(after: records.last?.position ?? 0, limit: 7)
                        if isLast, try await reader.events(after: records.last?.position ?? 0, limit: 1).isEmpty {
                            break
                        }
                    }
                    return records
                }
                group.addTask {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for (number, writer) in writers.enumerated() {
                            for task in 0..<tasksPerWriter {
                                let stream = EntityReference(kind: "writer", key: "\(number) \(task)")
                                group.addTask {
                                    for commit in 0..<UInt8(commits) {
                                        let event = NewEvent.numbered(commit, stream: stream)
                                        try await writer.commit(ChangeSet(events: [event]))
                                    }
                                }
                            }
                        }
                        try await group.waitForAll()
                    }
                    isDone.set()
                    return []
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }

            try requireEqual(followed.count, total, "the number of events that the reader has seen")
            try require(
                zip(followed, followed.dropFirst()).allSatisfy { $0.position < $1.position }, "positions grow")
            let log = try await writers[0].events(after: 0, limit: .max)
            try require(log == followed, "the reader has seen the log, in its order")
            for (stream, records) in Dictionary(grouping: followed, by: \.event.stream) {
                let numbers = records.map { Int($0.event.id.uuid.15) }
                try requireEqual(numbers, Array(0..<commits), "the order of '\(stream?.key ?? "")'")
            }
        },
        Check("two store objects share idempotency keys and leases") { fixture in
            let (one, two) = (try await fixture.openDeliveries(), try await fixture.openDeliveries())
            try await one.store.commit(ChangeSet().remembering("key").delivering(1, 2).delivering(3, of: "other"))

            try await two.store.refuse(ChangeSet().remembering("key"), with: .keyTaken, "a taken key")
            let first = try await one.lease(lanes: 1)
            let second = try await two.lease()
            try requireEqual((first + second).numbers.sorted { $0[0] < $1[0] }, [["1", "2"], ["3"]], "the two leases")
            try requireEqual(try await one.lease().numbers, [], "the lanes that are due")
            let stolen = try await two.lease(at: 11)
            try requireEqual(stolen.numbers.count, 2, "the number of lanes that are due when the leases have ended")
            let settlement = first[0].settlement(acknowledged: 1)
            try requireEqual(
                try await one.store.settle([settlement]), [first[0][0].lease], "the leases that are refused")
            try await one.store.refuse(
                ChangeSet().settling(settlement), with: .leaseLost, "a commit under a lost lease")
        },
    ]
}

/// A Boolean that several tasks share.
private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() {
        state.withLock { $0 = true }
    }
}
