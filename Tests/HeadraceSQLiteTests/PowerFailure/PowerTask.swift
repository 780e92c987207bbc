// SPDX-License-Identifier: Apache-2.0

#if SQLite
import Foundation
import GRDB
import HeadraceDomain
@testable import HeadraceSQLite
import HeadraceStorage
import HeadraceTesting

/// One of the tasks that work on a store until the power fails.
///
/// A task stores durable and relaxed entries, handles their events, acknowledges deliveries, abandons leases, rolls
/// units of work back, and empties the write-ahead log, in an order that follows from its seed.
struct PowerTask {
    /// The subscription for acknowledged deliveries.
    static let acknowledging = "acknowledging"

    /// The subscription for deliveries that a unit of work handles.
    static let handling = "handling"

    let name: String

    /// Number of earlier power failures.
    ///
    /// It is part of each ID, so no ID is used twice.
    let life: Int

    let store: SQLiteStore
    let machine: PowerMachine
    let history: PowerHistory
    let now: Date
    let largestDocument: Int
    var random: SeededGenerator
    var counter: Int
    var number = 0

    /// The task that stored the entry `id`.
    static func task(of id: String) -> String { String(id.prefix { $0 != "." }) }

    /// Works until the power fails.
    ///
    /// Each error while the power is on is a violation.
    mutating func run() async {
        do {
            while !machine.isOff { try await step() }
        } catch {
            if !machine.isOff {
                history.report("while the power was on: \(error)")
                machine.failPower()
            }
        }
    }

    private mutating func step() async throws {
        switch random.below(100) {
        case 0..<50: try await storeEntry()
        case 50..<56: try await rollBack()
        case 56..<75: try await acknowledge()
        case 75..<98: try await handle()
        default: try await empty()
        }
    }

    private mutating func storeEntry() async throws {
        number += 1
        let id = "\(name).\(life).\(number)"
        let effect = PowerHistory.Effect.entry(id)
        var changes = entry(id)
        changes.work.append(SQLWork { [history] _ in history.apply(effect) })
        history.begin([effect], durable: changes.durability == .durable)
        try await store.commit(changes)
        history.end([effect])
        counter += 1
    }

    private mutating func rollBack() async throws {
        number += 1
        var changes = entry("\(name).refused.\(life).\(number)")
        changes.work.append(SQLWork { _ in throw Refusal() })
        do { try await store.commit(changes) } catch is Refusal {}
    }

    private mutating func entry(_ id: String) -> ChangeSet {
        let stream = EntityReference(kind: "stream", key: "\(random.below(8))")
        let event = NewEvent(
            id: UUID(),
            name: "stored",
            version: 1,
            stream: random.below(4) == 0 ? nil : stream,
            recordedAt: now,
            json: Data(#"{"id":"\#(id)"}"#.utf8)
        )
        let document = StoredDocument(PowerEntry.entityName, id, size: random.below(largestDocument))
        var changes = ChangeSet(
            writes: [
                ChangeSet.Write(document: document, addedEntries: [.init(index: "label", value: id.indexValue)]),
                ChangeSet.Write(document: StoredDocument(PowerCounter.entityName, name, version: counter + 1)),
            ],
            events: [event]
        )
        changes.deliveries = [Self.acknowledging, Self.handling].map { .init(event: 0, subscription: $0) }
        changes.durability = random.below(2) == 0 ? .durable : .relaxed
        return changes
    }

    private mutating func acknowledge() async throws {
        for lane in try await lease(Self.acknowledging) {
            let deliveries = lane.prefix(1 + random.below(lane.count))
            let effects = deliveries.map { PowerHistory.Effect.acknowledgement($0.entry) }
            history.begin(effects)
            let lost = try await store.settle([
                Settlement(lease: lane[0].lease, acknowledged: deliveries.map(\.position), end: .finished(now: now))
            ])
            history.end(effects)
            if !lost.isEmpty { history.report("lost while it was valid: \(lost)") }
        }
    }

    private mutating func handle() async throws {
        for lane in try await lease(Self.handling) {
            for (index, delivery) in lane.enumerated() {
                let effect = PowerHistory.Effect.handling(delivery.entry)
                let document = StoredDocument(PowerEffect.entityName, delivery.entry, size: random.below(100))
                var changes = ChangeSet(writes: [ChangeSet.Write(document: document)])
                changes.settlements = [
                    Settlement(
                        lease: delivery.lease,
                        acknowledged: [delivery.position],
                        end: index == lane.indices.last ? .finished(now: now) : nil
                    )
                ]
                changes.durability = random.below(2) == 0 ? .durable : .relaxed
                changes.work.append(SQLWork { [history] _ in history.apply(effect) })
                history.begin([effect], durable: changes.durability == .durable)
                try await store.commit(changes)
                history.end([effect])
            }
        }
    }

    /// Leases some lanes, returns some of the leases for use, and abandons the rest.
    private mutating func lease(_ subscription: String) async throws -> [[Delivery]] {
        let beginning = history.begin()
        let lanes = try await store.lease(
            LeaseRequest(
                subscriptions: [subscription],
                laneLimit: 1 + random.below(3),
                batchLimit: 1 + random.below(3),
                now: now,
                duration: .seconds(100)
            )
        ).lanes
        history.endLeasing(lanes.compactMap(\.first?.lease), since: beginning)
        var used: [[Delivery]] = []
        for lane in lanes where random.below(8) > 0 {
            history.use(lane[0].lease)
            used.append(lane)
        }
        return used
    }

    /// Brings the content of the write-ahead log into the file.
    private mutating func empty() async throws {
        let mode = ["PASSIVE", "RESTART", "TRUNCATE"][random.below(3)]
        try await store.connections.writeWithoutTransaction { database in
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(\(mode))")
        }
    }
}

private struct Refusal: Error {}

extension SeededGenerator {
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}

extension Delivery {
    /// The ID of the entry that the event is about.
    fileprivate var entry: String {
        guard case .event(let record) = content else { return "no event" }
        let text = String(decoding: record.event.json, as: UTF8.self)
        return text.split(separator: #"""#).dropFirst(3).first.map(String.init) ?? text
    }
}
#endif
