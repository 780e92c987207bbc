// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceStorage

/// A delivery store with short calls for the checks.
///
/// Times are seconds after a fixed start.
struct DeliveryFixture {
    let store: any DeliveryStore

    static func date(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: 1_700_000_000 + seconds)
    }

    /// A request for everything that is due.
    static func request(_ subscriptions: String..., at seconds: Double = 0) -> LeaseRequest {
        LeaseRequest(
            subscriptions: subscriptions,
            laneLimit: 100,
            batchLimit: 100,
            now: date(seconds),
            duration: .seconds(10)
        )
    }

    nonisolated(nonsending) func lease(
        _ subscriptions: String...,
        at seconds: Double = 0,
        lanes: Int = 100,
        run: Int = 100,
        for duration: Duration = .seconds(10)
    ) async throws -> [[Delivery]] {
        try await store.lease(
            LeaseRequest(
                subscriptions: subscriptions.isEmpty ? ["a"] : subscriptions,
                laneLimit: lanes,
                batchLimit: run,
                now: Self.date(seconds),
                duration: duration
            )
        ).lanes
    }

    /// Leases exactly one lane.
    nonisolated(nonsending) func leaseOne(
        _ subscription: String = "a",
        at seconds: Double = 0,
        run: Int = 100,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws -> [Delivery] {
        let lanes = try await lease(subscription, at: seconds, run: run)
        guard lanes.count == 1, let lane = lanes.first else {
            throw ContractViolation(
                expectation: "one lane of '\(subscription)' is due",
                observation: "\(lanes.numbers) are",
                fileID: fileID,
                line: line
            )
        }
        return lane
    }

    /// Applies a settlement, which must be accepted.
    nonisolated(nonsending) func settle(
        _ lane: [Delivery],
        acknowledged: Int = 0,
        attempts: Int? = nil,
        end: Settlement.End? = nil,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws {
        let settlement = lane.settlement(acknowledged: acknowledged, attempts: attempts, end: end)
        let refused = try await store.settle([settlement])
        try require(refused.isEmpty, "the settlement is accepted", "it is refused", fileID: fileID, line: line)
    }

    /// Moves the first delivery of `lane` to the dead letters, and ends the lease.
    nonisolated(nonsending) func giveUp(
        _ lane: [Delivery],
        reason: String = "broken",
        at seconds: Double = 0
    ) async throws {
        guard let first = lane.first else { return }
        var settlement = lane.settlement(acknowledged: 0, end: .finished(now: Self.date(seconds)))
        settlement.failures = [first.failure(reason, at: Self.date(seconds))]
        _ = try await store.settle([settlement])
    }
}

extension StoreFixture {
    /// Opens a store that keeps deliveries.
    nonisolated(nonsending) func openDeliveries(
        _ entities: [any StoredEntity.Type] = [ContractEntity.self]
    ) async throws -> DeliveryFixture {
        let store = try await openStore(entities)
        guard let store = store as? any DeliveryStore else {
            throw ContractViolation(
                expectation: "the store is a DeliveryStore, as its capabilities state",
                observation: "it is not",
                fileID: #fileID,
                line: #line
            )
        }
        return DeliveryFixture(store: store)
    }
}

extension ChangeSet {
    /// Adds numbered events of `stream`, with deliveries to `subscriptions`.
    func delivering(
        _ numbers: UInt8...,
        of stream: String? = "stream",
        to subscriptions: [String] = ["a"]
    ) -> ChangeSet {
        var changes = self
        for number in numbers {
            for subscription in subscriptions {
                changes.deliveries.append(NewDelivery(event: changes.events.count, subscription: subscription))
            }
            changes.events.append(
                .numbered(number, stream: stream.map { EntityReference(kind: "kind", key: $0) })
            )
        }
        return changes
    }

    func scheduling(_ name: String, id: UUID = UUID(), at seconds: Double, since start: Double? = nil) -> ChangeSet {
        var changes = self
        changes.scheduled.append(
            ScheduledMessage(
                id: id,
                kind: .command,
                name: name,
                version: 1,
                dueAt: DeliveryFixture.date(seconds),
                json: Data("{}".utf8),
                origin: MessageOrigin(principalID: "principal of \(name)", trace: ["trace": "1"]),
                since: start.map(DeliveryFixture.date)
            )
        )
        return changes
    }

    func cancelling(_ id: UUID) -> ChangeSet {
        var changes = self
        changes.cancellations.append(id)
        return changes
    }

    func settling(_ settlement: Settlement) -> ChangeSet {
        var changes = self
        changes.settlements.append(settlement)
        return changes
    }

    func remembering(_ key: String, outcome: String = "1", at seconds: Double = 0) -> ChangeSet {
        var changes = self
        changes.idempotencyRecords.append(
            IdempotencyRecord(
                key: key,
                command: Data(#"{"of":"\#(key.utf8.count)"}"#.utf8),
                outcome: Data(outcome.utf8),
                date: DeliveryFixture.date(seconds)
            )
        )
        return changes
    }
}

extension Delivery.Content {
    /// The number of the event, or the name of the scheduled message.
    var number: String {
        switch self {
        case .event(let record): "\(record.event.id.uuid.15)"
        case .scheduled(let message): message.name
        case .missing: "missing"
        }
    }

    /// The number, and the stored JSON.
    var text: String {
        let json = message.map { String(decoding: $0.json, as: UTF8.self) }
        return "\(number) \(json ?? "-")"
    }
}

extension Delivery {
    func failure(_ reason: String, at date: Date) -> Settlement.Failure {
        Settlement.Failure(position: position, attempts: attempt, reason: reason, date: date)
    }
}

extension [Delivery] {
    /// Returns a settlement that acknowledges the first `count` deliveries.
    ///
    /// `attempts` counts for the next delivery. `end` decides whether the lease ends.
    func settlement(acknowledged count: Int, attempts: Int? = nil, end: Settlement.End? = nil) -> Settlement {
        Settlement(
            lease: first?.lease ?? Lease(lane: 0, token: 0),
            acknowledged: prefix(count).map(\.position),
            attempts: attempts,
            end: end
        )
    }

    var numbers: [String] { map(\.content.number) }
}

extension [[Delivery]] {
    var numbers: [[String]] { map(\.numbers) }
}
