//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import LedgerApplication
import Synchronization

/// A store whose commits wait until a test lets them go, in their order, or has one fail.
final class HeldStore: DeliveryStore {
    private struct State {
        var isHolding = false
        var held: [CheckedContinuation<Bool, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private struct Failure: Error {}

    private let base: InMemoryStore
    private let state = Mutex(State())

    init() throws {
        base = try InMemoryStore(entities: Books.entities)
    }

    /// Has commits wait from now on.
    func hold() {
        state.withLock { $0.isHolding = true }
    }

    /// Returns when `count` commits wait.
    func holds(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.held.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Lets the first commit that waits go, or has it fail.
    func release(failing: Bool = false) {
        state.withLock { $0.held.removeFirst() }.resume(returning: !failing)
    }

    /// Lets all go, now and later.
    func releaseAll() {
        let held = state.withLock { state in
            state.isHolding = false
            defer { state.held = [] }
            return state.held
        }
        for commit in held { commit.resume(returning: true) }
    }

    func commit(_ changes: ChangeSet) async throws {
        let isGood = await withCheckedContinuation { continuation in
            let (isHeld, woken) = state.withLock { state in
                if !state.isHolding { return (false, [CheckedContinuation<Void, Never>]()) }
                state.held.append(continuation)
                let woken = state.watchers.filter { $0.count <= state.held.count }.map(\.continuation)
                state.watchers.removeAll { $0.count <= state.held.count }
                return (true, woken)
            }
            if !isHeld { continuation.resume(returning: true) }
            for watcher in woken { watcher.resume() }
        }
        if !isGood { throw Failure() }
        try await base.commit(changes)
    }

    var schema: EntitySchema { base.schema }
    var deliverySignal: DeliverySignal { base.deliverySignal }

    func find(_ reference: EntityReference) async throws -> StoredDocument? { try await base.find(reference) }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] { try await base.fetch(query) }

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
