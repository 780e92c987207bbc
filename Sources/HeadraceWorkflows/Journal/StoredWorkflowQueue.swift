// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
public import HeadraceDomain
import HeadraceStorage

/// A limit of the instances of a workflow that run at a time.
///
/// An instance counts from its first turn to its end, also while it sleeps.
public struct WorkflowConcurrency: Codable, Hashable, Sendable {
    let limit: Int
    package let key: String

    /// At most `limit` instances of the workflow whose key is `key`.
    ///
    /// If an instance waits for the end of an instance with the same key, which has no place, both wait for ever.
    ///
    /// - Precondition: `limit` must be at least 1.
    public static func atMost(_ limit: Int, by key: some EntityIdentifier) -> WorkflowConcurrency {
        precondition(limit >= 1, "The limit of instances is less than 1. To fix, pass 1 or more.")
        return WorkflowConcurrency(limit: limit, key: key.storageKey)
    }

    /// At most `limit` instances of the workflow.
    ///
    /// - Precondition: `limit` must be at least 1.
    public static func atMost(_ limit: Int) -> WorkflowConcurrency { atMost(limit, by: "") }
}

/// The places of one concurrency key, and the instances that have them.
///
/// Only turns change it, because a relay repeats them after a conflict: a start never has one.
package final class StoredWorkflowQueue: StoredEntity {
    package static let entityName = "headrace.workflow-queue"

    /// The name of the workflow, a slash, and the key.
    package let id: String

    /// The identifiers of the instances that have a place.
    var holders: [String] = []

    /// Number of instances that have found no place.
    ///
    /// The change lets the store refuse the commit, if a place has become free meanwhile.
    var refusals = 0

    package var raisedEvents = RaisedEvents()

    init(id: String) {
        self.id = id
    }

    /// The common begin of ``StoredWorkflow/place`` of the instances that wait in the queue `id`.
    ///
    /// It begins with a length, because a key may contain anything.
    private static func line(_ id: String) -> String { "\(id.utf8.count)/\(id)/" }

    /// Returns a place at the end of the line.
    static func newPlace(in id: String) -> String { line(id) + UUID.version7().uuidString }

    /// Matches the instances that wait in the queue `id`; with a `place`, only the instances before it.
    static func isWaiting(in id: String, before place: String? = nil) -> EntityCondition<StoredWorkflow> {
        .isText(in: .place, from: line(id), below: place ?? line(id) + "g")
    }
}

extension EntityContext {
    /// Looks for a place for `stored`, which stands in line.
    ///
    /// - Returns: Whether it has one now. If not, the end of another instance lets it go on.
    nonisolated(nonsending) func findPlace(for stored: StoredWorkflow, at now: Date) async throws -> Bool {
        guard let id = stored.queue else { return true }
        let queue = try await find(StoredWorkflowQueue.self, id: id) ?? StoredWorkflowQueue(id: id)
        insert(queue)
        try await fill(queue, inTurnOf: stored, at: now)
        if stored.state != .queued { return true }
        queue.refusals += 1
        return false
    }

    /// Removes `stored`, which has ended, from its queue, and lets the next instance go on.
    nonisolated(nonsending) func leaveQueue(_ stored: StoredWorkflow, at now: Date) async throws {
        stored.place = nil
        guard let id = stored.queue, let queue = try await find(StoredWorkflowQueue.self, id: id) else { return }
        queue.holders.removeAll { $0 == stored.id }
        try await fill(queue, inTurnOf: nil, at: now)
    }

    /// Lets instances in line go on while there are places; `current` is in its turn already.
    private nonisolated(nonsending) func fill(
        _ queue: StoredWorkflowQueue,
        inTurnOf current: StoredWorkflow?,
        at now: Date
    ) async throws {
        let line = StoredWorkflowQueue.isWaiting(in: queue.id)
        while let next = try await fetch(StoredWorkflow.self, where: [line], orderedBy: .ascending(.place), limit: 1)
            .first
        {
            guard queue.holders.count < next.concurrency?.limit ?? .max else { return }
            queue.holders.append(next.id)
            next.place = nil
            next.resume(with: [], changes: next.changes)
            if next !== current { try next.arm(at: now, since: now, in: self) }
        }
        if queue.holders.isEmpty { delete(queue) }
    }
}
