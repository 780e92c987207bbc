//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace
import Synchronization

/// A store whose commits can be built upon before they are on the disk.
///
/// A commit waits for the disk, and shares that wait with those who come in the meantime; those who change the same account
/// cannot, where each must see what the one before it has stored. Here a command that has its turn finds what the one before
/// it is about to store. The store keeps the order: it takes the second commit only on top of the first, and refuses it, as
/// a conflict that is retried, where the first was not stored. No command returns before its own changes are on the disk.
///
/// Only what takes turns reads ahead: queries, and deliveries, are on the store beneath, and see what is stored.
public final class PipelinedStore: DeliveryStore {
    private struct Pending {
        let document: StoredDocument
        let commit: CommitOutcome
    }

    /// Where commits begin in the order of their turns.
    private actor Line {
        /// Does `beginning`, and commits.
        ///
        /// Up to where the store beneath waits for the disk this runs without a break, on this actor: so whoever gets the
        /// turn by `beginning`, and comes here, comes to the store after it.
        func commit(_ changes: ChangeSet, to base: any DeliveryStore, _ beginning: @Sendable () -> Void) async throws {
            beginning()
            try await base.commit(changes)
        }
    }

    private let line = Line()
    private let base: any DeliveryStore
    private let pending = Mutex<[EntityReference: Pending]>([:])

    /// Creates a store upon `base`.
    public init(_ base: any DeliveryStore) {
        self.base = base
    }

    /// Gives the document as it is stored, or is about to be where a command with its turn asks.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        if let turn = Turn.current, let found = pending.withLock({ $0[reference] }) {
            turn.build(on: found.commit)
            return found.document
        }
        return try await base.find(reference)
    }

    /// Commits `changes`, and passes the turn on when they are on their way.
    public func commit(_ changes: ChangeSet) async throws {
        guard let turn = Turn.current else { return try await base.commit(changes) }
        let commit = CommitOutcome()
        let references = changes.writes.map(\.document.reference)
        do {
            try await line.commit(changes, to: base) {
                pending.withLock { pending in
                    for write in changes.writes {
                        pending[write.document.reference] = Pending(document: write.document, commit: commit)
                    }
                }
                turn.end()
            }
        } catch {
            forget(references, of: commit)
            commit.settle(isStored: false)
            throw error
        }
        forget(references, of: commit)
        commit.settle(isStored: true)
    }

    /// Takes away what others have not put something else upon.
    private func forget(_ references: [EntityReference], of commit: CommitOutcome) {
        pending.withLock { pending in
            for reference in references where pending[reference]?.commit === commit { pending[reference] = nil }
        }
    }

    // MARK: As the store beneath

    /// The types of entity.
    public var schema: EntitySchema { base.schema }

    /// Is given whenever something is to be delivered.
    public var deliverySignal: DeliverySignal { base.deliverySignal }

    /// Gives what is stored at this moment.
    public func snapshot() async throws -> any EntityReader { try await base.snapshot() }

    /// Gives the documents that `query` asks for.
    public func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] { try await base.fetch(query) }

    /// Gives the events after a position.
    public func events(after position: Int64, limit: Int) async throws -> [EventRecord] {
        try await base.events(after: position, limit: limit)
    }

    /// Leases lanes that are due.
    public func lease(_ request: LeaseRequest) async throws -> LeasedDeliveries { try await base.lease(request) }

    /// Does what `settlements` say.
    public func settle(_ settlements: [Settlement]) async throws -> [Lease] { try await base.settle(settlements) }

    /// Lets `leases` last longer.
    public func renew(_ leases: [Lease], until date: Date) async throws -> [Lease] {
        try await base.renew(leases, until: date)
    }

    /// Gives what is stored under an idempotency key.
    public func idempotencyRecord(for key: String) async throws -> IdempotencyRecord? {
        try await base.idempotencyRecord(for: key)
    }

    /// Gives dead letters.
    public func deadLetters(after id: Int64, of subscription: String?, limit: Int) async throws -> [DeadLetter] {
        try await base.deadLetters(after: id, of: subscription, limit: limit)
    }

    /// Gives a dead letter.
    public func deadLetter(_ id: Int64) async throws -> DeadLetter? { try await base.deadLetter(id) }

    /// Delivers dead letters again.
    public func replayDeadLetters(_ ids: [Int64]) async throws -> Int { try await base.replayDeadLetters(ids) }

    /// Forgets dead letters.
    public func discardDeadLetters(_ ids: [Int64]) async throws -> Int { try await base.discardDeadLetters(ids) }

    /// Delivers events once more.
    public func replay(_ subscription: String, eventsNamed names: Set<String>, after position: Int64) async throws
        -> Int
    {
        try await base.replay(subscription, eventsNamed: names, after: position)
    }

    /// Removes what `request` names.
    public func prune(_ request: PruneRequest) async throws -> Int { try await base.prune(request) }

    /// Tells how far the subscriptions have come.
    public func deliveryStatistics() async throws -> DeliveryStatistics { try await base.deliveryStatistics() }
}
