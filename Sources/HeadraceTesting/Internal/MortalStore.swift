//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceDomain
import Synchronization

/// A store as a process sees it that can be killed: from then on it can write nothing.
final class MortalStore: DeliveryStore {
    private let base: any DeliveryStore
    private let isKilled = Mutex(false)

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    /// Ends the process.
    func kill() {
        isKilled.withLock { $0 = true }
    }

    private func live() throws {
        if isKilled.withLock(\.self) { throw StoreError(code: .unusable, message: "The process was killed.") }
    }

    var schema: EntitySchema { base.schema }
    var deliverySignal: DeliverySignal { base.deliverySignal }

    func find(_ reference: EntityReference) async throws -> StoredDocument? { try await base.find(reference) }
    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] { try await base.fetch(query) }
    func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await base.events(after: position, limit: limit)
    }
    func snapshot() async throws -> any EntityReader { try await base.snapshot() }

    func commit(_ changes: ChangeSet) async throws {
        try live()
        try await base.commit(changes)
    }

    func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries {
        try live()
        return try await base.lease(request)
    }

    func settle(_ settlements: [Settlement]) async throws -> [Lease] {
        try live()
        return try await base.settle(settlements)
    }

    func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        try live()
        return try await base.renew(leases, until: date)
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
    func replay(
        _ subscription: String,
        eventsNamed names: Set<String>,
        after position: Int64
    ) async throws -> Int {
        try await base.replay(subscription, eventsNamed: names, after: position)
    }
    func prune(_ request: PruneRequest) async throws -> Int { try await base.prune(request) }
    func deliveryStatistics() async throws -> DeliveryStatistics { try await base.deliveryStatistics() }
}
