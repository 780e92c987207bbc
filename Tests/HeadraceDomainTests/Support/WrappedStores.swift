//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceDomain
import Synchronization

/// A store that passes everything on; those that conform do something else in one place.
protocol WrappedStore: DeliveryStore {
    var base: InMemoryStore { get }
}

extension WrappedStore {
    var schema: EntitySchema { base.schema }
    var deliverySignal: DeliverySignal { base.deliverySignal }

    func find(_ reference: EntityReference) async throws -> StoredDocument? { try await base.find(reference) }
    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] { try await base.fetch(query) }
    func commit(_ changes: ChangeSet) async throws { try await base.commit(changes) }
    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await base.events(after: position, limit: limit)
    }
    func snapshot() async throws -> any EntityReader { try await base.snapshot() }
    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries { try await base.lease(request) }
    func settle(_ settlements: [Settlement]) async throws -> [Lease] { try await base.settle(settlements) }
    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        try await base.renew(leases, until: date)
    }
    func idempotencyRecord(for key: String) async throws -> IdempotencyRecord? {
        try await base.idempotencyRecord(for: key)
    }
    func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter] {
        try await base.deadLetters(after: id, of: subscription, limit: limit)
    }
    func deadLetter(_ id: Int64) async throws -> DeadLetter? { try await base.deadLetter(id) }
    func replayDeadLetters(_ ids: [Int64]) async throws -> Int { try await base.replayDeadLetters(ids) }
    func discardDeadLetters(_ ids: [Int64]) async throws -> Int { try await base.discardDeadLetters(ids) }
    func replay(_ subscription: String, eventsNamed names: Set<String>, after position: Int64) async throws -> Int {
        try await base.replay(subscription, eventsNamed: names, after: position)
    }
    func prune(_ request: PruneRequest) async throws -> Int { try await base.prune(request) }
    func deliveryStatistics() async throws -> DeliveryStatistics { try await base.deliveryStatistics() }
}

/// Never gives the signal: as if all commits were another process's.
final class UnsignalledStore: WrappedStore {
    let base: InMemoryStore

    init(_ base: InMemoryStore) {
        self.base = base
    }

    private let silent = DeliverySignal()
    var deliverySignal: DeliverySignal { silent }
}

/// Renews nothing: as if the process stood still.
final class UnrenewedStore: WrappedStore {
    let base: InMemoryStore

    init(_ base: InMemoryStore) {
        self.base = base
    }

    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] { [] }
}

/// Counts the lanes that were leased.
final class CountingStore: WrappedStore {
    let base: InMemoryStore

    init(_ base: InMemoryStore) {
        self.base = base
    }

    private let count = Mutex(0)
    var leased: Int { count.withLock(\.self) }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        let leased = try await base.lease(request)
        count.withLock { $0 += leased.lanes.count }
        return leased
    }
}

/// Refuses the first commits, or the first leases.
final class FailingStore: WrappedStore {
    let base: InMemoryStore
    private let left: Mutex<(commits: Int, leases: Int)>

    init(_ base: InMemoryStore, failing commits: Int = 0, failingLeases leases: Int = 0) {
        left = Mutex((commits, leases))
        self.base = base
    }

    func commit(_ changes: ChangeSet) async throws {
        try fail(\.commits)
        try await base.commit(changes)
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try fail(\.leases)
        return try await base.lease(request)
    }

    private func fail(_ path: WritableKeyPath<(commits: Int, leases: Int), Int>) throws {
        let fails = left.withLock { left in
            left[keyPath: path] -= 1
            return left[keyPath: path] >= 0
        }
        if fails { throw StoreError(code: .full, message: "full") }
    }
}

/// Another relay that takes over what has ended.
struct LeaseThief: Sendable {
    let store: InMemoryStore
    let wallClock: @Sendable () -> Date

    func steal(_ subscription: String) async throws {
        _ = try await store.lease(
            LeaseRequest(
                subscriptions: [subscription],
                laneLimit: 100,
                runLimit: 1,
                now: wallClock(),
                duration: .seconds(1000)
            )
        )
    }
}
