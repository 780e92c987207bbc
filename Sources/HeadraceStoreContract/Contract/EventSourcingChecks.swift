// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage

extension StoreContract {
    static let eventSourcingChecks: [Check] = [
        Check("an event-sourced entity is folded from its events, and its snapshots, again") { fixture in
            let store = try await fixture.openStore([Tally.self])

            for count in 1...10 {
                try await store.add([1], to: "a")
                try await store.add([10, 10], to: "b")
                let context = EntityContext(store)
                let found = try await context.fetch(Tally.self)
                try requireEqual(found.map(\.id), ["a", "b"], "the entities")
                try requireEqual(found.map(\.total), [count, 20 * count], "the totals")
                let entry: EntityCondition<Tally> = .equals(EntityIndex("total") { $0.total }, 20 * count)
                try requireEqual(try await context.fetch(Tally.self, where: [entry]).map(\.id), ["b"], "the index")
                try requireEqual(
                    try await context.history(of: Tally.self, id: "b", after: 2, limit: 100).map(\.number),
                    Array(3..<2 * count + 1),
                    "the history"
                )
            }
        },
        Check("of two writers of an event-sourced entity, the slower gets a conflict that names it") { fixture in
            let store = try await fixture.openStore([Tally.self])
            for count in 0..<9 {
                let slow = EntityContext(store)
                if let tally = try await slow.find(Tally.self, id: "a") {
                    tally.raiseEvent(TallyEntry(amount: 100))
                } else {
                    let tally = Tally(id: "a")
                    tally.raiseEvent(TallyEntry(amount: 100))
                    slow.insert(tally)
                }
                let events = slow.takeEvents()
                try await store.add([1], to: "a")
                let before = try await store.contents()
                do {
                    try await slow.commit(events)
                    try require(false, "the slower writer is refused")
                } catch let error as StoreError {
                    try requireEqual(error.code, count == 0 ? .alreadyExists : .versionConflict, "the code")
                    try requireEqual(error.entity, EntityReference(kind: "contract-tally", key: "a"), "the entity")
                    try require(error.isRetryable, "a retry may succeed")
                }
                try require(try await store.contents() == before, "nothing has changed")
            }
        },
        Check("a deleted event-sourced entity leaves no document, and begins again") { fixture in
            let store = try await fixture.openStore([Tally.self])
            try await store.add([1, 2, 3, 4, 5, 6], to: "a")

            let context = EntityContext(store)
            if let tally = try await context.find(Tally.self, id: "a") { context.delete(tally) }
            try await context.commit(context.takeEvents())

            try requireEqual(try await store.contents().documents, [], "the list of documents")
            let streams = try await store.fetch(DocumentQuery(kind: "contract-tally.stream"))
            try requireEqual(streams, [], "the list of stream documents")
            try await store.add([7], to: "a")
            try requireEqual(try await EntityContext(store).find(Tally.self, id: "a")?.total, 7, "the total")
        },
        Check("pruning the log removes nothing from the stream of an event-sourced entity") { fixture in
            let store = try await fixture.openStore([Tally.self])
            for _ in 1...6 { try await store.add([1], to: "a") }

            if let store = store as? any DeliveryStore {
                try requireEqual(
                    try await store.prune(PruneRequest(eventsBefore: .distantFuture)), 6, "the number of pruned events")
            }

            let context = EntityContext(store)
            try requireEqual(try await context.find(Tally.self, id: "a")?.total, 6, "the total")
            try requireEqual(
                try await context.history(of: Tally.self, id: "a", limit: 10).map(\.number), Array(1...6), "the history"
            )
        },
        Check("a stream of thousands of events is read") { fixture in
            let store = try await fixture.openStore([LongTally.self])
            let context = EntityContext(store)
            let tally = LongTally(id: "a")
            for _ in 0..<2_500 { tally.raiseEvent(TallyEntry(amount: 1)) }
            context.insert(tally)
            try await context.commit(context.takeEvents())

            try requireEqual(try await EntityContext(store).find(LongTally.self, id: "a")?.total, 2_500, "the total")
        },
    ]

    static let persistentEventSourcingChecks: [Check] = [
        Check("a later version of an event-sourced type folds all events again, also for its indexes") { fixture in
            try await fixture.withStore([Tally.self]) { store in
                for _ in 1...6 { try await store.add([5], to: "a") }
                try await store.add([7], to: "b")
            }

            try await fixture.withStore([LaterTally.self]) { store in
                let context = EntityContext(store)
                let count = EntityIndex<LaterTally>("count") { $0.count }
                let found = try await context.fetch(LaterTally.self, where: [.equals(count, 6)])
                try requireEqual(found.map(\.sum), [30], "the sums")
                found.first?.raiseEvent(TallyEntry(amount: 1))
                try await context.commit(context.takeEvents())
            }

            let store = try await fixture.openStore([LaterTally.self])
            let found = try await EntityContext(store).fetch(
                LaterTally.self, orderedBy: .descending(EntityIndex("count") { $0.count }))
            try requireEqual(found.map(\.sum), [31, 7], "the sums")
        }
    ]
}

extension EntityStore {
    /// Adds amounts to a tally, which is inserted if it doesn't exist.
    fileprivate nonisolated(nonsending) func add(_ amounts: [Int], to id: String) async throws {
        let context = EntityContext(self)
        let tally = try await context.find(Tally.self, id: id) ?? Tally(id: id)
        context.insert(tally)
        for amount in amounts { tally.raiseEvent(TallyEntry(amount: amount)) }
        try await context.commit(context.takeEvents())
    }
}

/// A tally without snapshots.
private final class LongTally: EventSourcedEntity {
    static let entityName = "contract-long-tally"
    static let snapshotInterval = Int.max
    static var appliedEvents: [AppliedEvent<LongTally>] {
        [.on(TallyEntry.self) { tally, event in tally.total += event.amount }]
    }

    let id: String
    private(set) var total = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }
}
