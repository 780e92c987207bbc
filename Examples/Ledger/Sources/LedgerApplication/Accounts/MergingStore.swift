// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Headrace
import HeadraceStorage
import Synchronization

/// Commits changes of many accounts under contention, without repeating all of the work after each conflict.
///
/// A balance is a sum, so a change can be added to the current balance. If another writer has changed accounts since
/// they were read, a merge reads only these accounts again and keeps the rest of the changes. A retry is short, however
/// large the changes are. A conflict always means that another writer has made progress, so the number of attempts has
/// no limit. Cancellation ends them.
///
/// The import of a whole journal holds no lock keys, so it commits to this store. A delivery doesn't: the relay retries
/// it.
public final class MergingStore: StoreDecorator {
    /// The store that holds the data.
    public let base: any DeliveryStore

    /// Creates a store that reads from `base` and commits to it.
    public init(_ base: any DeliveryStore) {
        self.base = base
    }

    /// Returns the documents of `base`.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        try await base.find(all: references)
    }

    /// Commits `changes`.
    ///
    /// - Throws: The errors of `EntityStore.commit(_:)`, `versionConflict` only if a merge can't solve the conflict;
    ///   ``AccountRefusal`` if the rule of an account doesn't allow the merged changes; `CancellationError`.
    public func commit(_ changes: ChangeSet) async throws {
        if !changes.settlements.isEmpty { return try await base.commit(changes) }
        var changes = changes
        while true {
            do {
                return try await base.commit(changes)
            } catch let error as StoreError
                where error.code == .versionConflict && error.entity?.kind == Account.entityName
            {
                try Task.checkCancellation()
                // If another writer has opened the account meanwhile, there is no requirement, and 'AccountOpened' is
                // wrong.
                guard changes.requirements.contains(where: { $0.reference == error.entity }),
                    let merged = try await merge(changes)
                else { throw error }
                changes = merged
            }
        }
    }

    /// Returns `changes` merged with the current state of their accounts; `nil` if a merge isn't possible.
    private func merge(_ changes: ChangeSet) async throws -> ChangeSet? {
        let accounts = changes.requirements.filter { $0.reference.kind == Account.entityName }
        let earlier = Dictionary(accounts.map { ($0.reference, $0) }) { first, _ in first }
        let later = Dictionary(changes.writes.map { ($0.document.reference, $0.document) }) { first, _ in first }
        let stored = try await base.find(all: accounts.map(\.reference))
        let stale = stored.filter { earlier[$0.reference] != $0 }
        if stale.isEmpty { return nil }

        let movements = try movements(in: changes)
        let recorder = CommitRecorder(base)
        let context = EntityContext(recorder)
        // A refused merge leaves changes.
        defer { context.rollback() }
        let decoder = JSONDecoder()
        for document in stale {
            guard let before = earlier[document.reference], let after = later[document.reference] else { return nil }
            let later = try decoder.decode(Account.self, from: after.json)
            guard let account = try await context.find(Account.self, id: later.id) else { return nil }
            let isDone = try account.absorb(
                later,
                since: try decoder.decode(Account.self, from: before.json),
                movements: movements[later.id] ?? [],
                under: try await context.find(Account.self, ids: Account.parents(of: later.id))
            )
            if !isDone { return nil }
        }
        try await context.commit([])

        let replaced = Set(stale.map(\.reference))
        var merged = changes
        merged.writes = changes.writes.filter { !replaced.contains($0.document.reference) } + recorder.changes.writes
        merged.requirements =
            changes.requirements.filter { !replaced.contains($0.reference) } + recorder.changes.requirements
        return merged
    }

    /// The movements in the events of `changes`, by account.
    private func movements(in changes: ChangeSet) throws -> [String: [AccountMoved.Movement]] {
        var movements: [String: [AccountMoved.Movement]] = [:]
        for event in changes.events where event.name == AccountMoved.eventName {
            let moved = try JSONDecoder().decode(AccountMoved.self, from: event.json)
            movements[moved.account, default: []] += moved.movements
        }
        return movements
    }
}

/// A store that records the last commit instead of storing it.
private final class CommitRecorder: StoreDecorator {
    let base: any DeliveryStore
    private let recorded = Mutex(ChangeSet())

    init(_ base: any DeliveryStore) {
        self.base = base
    }

    /// The changes of the last commit.
    var changes: ChangeSet { recorded.withLock(\.self) }

    func commit(_ changes: ChangeSet) async throws {
        recorded.withLock { $0 = changes }
    }
}
