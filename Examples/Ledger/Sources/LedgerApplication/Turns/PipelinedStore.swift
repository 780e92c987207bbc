//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
import Synchronization

/// A store whose commits can be built upon before they are on the disk.
///
/// A commit waits for the disk, and shares that wait with those who come in the meantime; those who change the same account
/// cannot, where each must see what the one before it has stored. Here a command that has its turn finds what the one before
/// it is about to store. The store keeps the order: it takes the second commit only on top of the first, as it is required to
/// find what that was to store, and refuses it, as a conflict that is retried, where the first was not stored. No command
/// returns before its own changes are on the disk.
///
/// Only what takes turns reads ahead: queries and deliveries, which have no turn, see what is stored.
public final class PipelinedStore: StoreDecorator {
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

    /// The store beneath.
    public let base: any DeliveryStore

    private let line = Line()
    private let pending = Mutex<[EntityReference: Pending]>([:])

    /// Creates a store upon `base`.
    public init(_ base: any DeliveryStore) {
        self.base = base
    }

    /// Gives the document as it is stored, or is about to be where a command with its turn asks.
    public func find(_ reference: EntityReference) async throws -> StoredDocument? {
        if let turn = Turn.current, let found = pending.withLock({ $0[reference] }) {
            turn.build(on: found.document, of: found.commit)
            return found.document
        }
        return try await base.find(reference)
    }

    /// Gives the documents as they are stored, or are about to be where a command with its turn asks.
    public func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        guard let turn = Turn.current else { return try await base.find(all: references) }
        let ahead = pending.withLock { pending in references.compactMap { pending[$0] } }
        var documents: [EntityReference: StoredDocument] = [:]
        for found in ahead {
            turn.build(on: found.document, of: found.commit)
            documents[found.document.reference] = found.document
        }
        for document in try await base.find(all: references.filter { documents[$0] == nil }) {
            documents[document.reference] = document
        }
        return references.compactMap { documents[$0] }
    }

    /// Commits `changes`, and passes the turn on when they are on their way.
    ///
    /// The import of a whole journal commits without a turn. Other writers change its accounts meanwhile, so its changes are
    /// merged. A delivery has no turn either; if it meets a conflict, the relay tries it again.
    public func commit(_ changes: ChangeSet) async throws {
        guard let turn = Turn.current else {
            if !changes.settlements.isEmpty { return try await base.commit(changes) }
            return try await MergingCommit(base: base).commit(changes)
        }
        let commit = CommitOutcome()
        let requirements = turn.requirements
        var changes = changes
        // What is changed is required by the context that has read it; this is what was read and is not changed.
        let required = Set(changes.requirements.map(\.reference))
        changes.requirements += requirements.filter { !required.contains($0.reference) }
        let references = changes.writes.map(\.document.reference)
        do {
            try await line.commit(changes, to: base) { [changes] in
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
        turn.meetRequirements(requirements.count)
        forget(references, of: commit)
        commit.settle(isStored: true)
    }

    /// Takes away what others have not put something else upon.
    private func forget(_ references: [EntityReference], of commit: CommitOutcome) {
        pending.withLock { pending in
            for reference in references where pending[reference]?.commit === commit { pending[reference] = nil }
        }
    }
}
