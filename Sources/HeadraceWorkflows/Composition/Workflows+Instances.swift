// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceDomain
import HeadraceStorage

/// Everything about an instance, for operators.
package struct WorkflowDetails: Sendable {
    /// The limit of instances at a time.
    package struct Concurrency: Hashable, Sendable {
        package let limit: Int
        package let key: String

        /// The identifiers under which the instances that have a place are stored.
        package let holders: [String]

        /// Number of instances that wait in line.
        package let queuedCount: Int

        /// The place in the line, counting from 1; `nil` unless the instance is queued.
        package let position: Int?
    }

    package let status: WorkflowStatus
    package let waits: [StoredWorkflow.Wait]

    /// The number of the round, counting from 1.
    package let round: Int

    /// The start of the current round.
    package let begunAt: Date

    /// Whether a cancellation waits to be recorded.
    package let isBeingCancelled: Bool

    /// The names of the events that the code hasn't received, in order.
    package let unreceivedEvents: [String]

    /// The limit; `nil` for none.
    package let concurrency: Concurrency?

    package let journal: [WorkflowRecord]
}

/// Operations on an instance without the type of its workflow, by the identifier under which it is stored.
extension Workflows {
    /// Returns the state of an instance; `nil` if there is none.
    package nonisolated(nonsending) func status(of instance: String) async throws -> WorkflowStatus? {
        try await execute { context in
            try await context.find(StoredWorkflow.self, id: instance).map { WorkflowStatus($0) }
        }
    }

    /// Returns everything about an instance.
    ///
    /// - Throws: ``WorkflowError`` with the code `unknownInstance`; ``HeadraceStorage/StoreError``; `CancellationError`.
    package nonisolated(nonsending) func details(of instance: String) async throws -> WorkflowDetails {
        try await execute { context in
            guard let stored = try await context.find(StoredWorkflow.self, id: instance) else {
                throw WorkflowError.unknown(instance)
            }
            return WorkflowDetails(
                status: WorkflowStatus(stored),
                waits: stored.waits,
                round: stored.round,
                begunAt: stored.begunAt,
                isBeingCancelled: stored.mustCancel,
                unreceivedEvents: stored.events.map(\.title),
                concurrency: try await context.concurrency(of: stored),
                journal: try await context.journal(of: stored).map(\.record)
            )
        }
    }

    /// Does the same as `cancel(_:id:)`.
    package nonisolated(nonsending) func cancel(_ instance: String) async throws {
        try await change(instance) { stored, context in
            guard stored.isOpen else { return }
            if stored.state == .queued { return try await context.end(stored, as: .cancelled, at: now) }
            stored.mustCancel = true
            try stored.wake(at: now, in: context)
        }
    }

    /// Does the same as `terminate(_:id:)`.
    package nonisolated(nonsending) func terminate(_ instance: String) async throws {
        try await change(instance) { stored, context in
            if stored.isOpen { try await context.end(stored, as: .terminated, at: now) }
        }
    }

    /// Does the same as `retry(_:id:)`.
    package nonisolated(nonsending) func retry(_ instance: String) async throws {
        try await change(instance) { stored, context in
            if stored.state == .queued { return }
            if stored.isOpen {
                stored.forgetPauses()
                return try stored.arm(at: now, since: now, in: context)
            }
            guard stored.state == .failed else { throw WorkflowError.ended(WorkflowStatus(stored)) }
            let journal = try await context.journal(of: stored)
            let step = stored.failure?.step ?? 0
            if step > 0, let failed = journal.firstIndex(where: { $0.record.step == step }) {
                try await context.remove(journal[failed...], of: stored)
            }
            stored.reopen()
            try stored.begin(at: now, in: context)
        }
    }

    /// Does the same as `fork(_:id:from:as:)`; `newKey` is the stored text of the new identifier.
    package nonisolated(nonsending) func fork(
        _ instance: String,
        from step: Int,
        as newKey: String
    ) async throws -> Bool {
        try await execute { context in
            guard let stored = try await context.find(StoredWorkflow.self, id: instance) else {
                throw WorkflowError.unknown(instance)
            }
            let fork = StoredWorkflow.id(of: stored.workflow, key: newKey)
            if try await context.find(StoredWorkflow.self, id: fork) != nil { return false }
            let copy = StoredWorkflow(forking: stored, key: newKey)
            let journal = try await context.journal(of: stored).map(\.record).prefix { $0.step < step && $0.step > 0 }
            for record in journal {
                copy.recordCount += 1
                context.insert(StoredWorkflowRecord(record, of: copy.id, position: copy.recordCount))
            }
            context.insert(copy)
            for record in journal where record.kind == .workflow {
                let end = WorkflowEnd.name(of: record.result)
                if journal.contains(where: { $0.name == end }) { continue }
                try await context.announce(theEndOf: record.result, to: copy.id)
            }
            try copy.begin(at: now, in: context)
            return true
        }
    }

    private nonisolated(nonsending) func change(
        _ instance: String,
        _ body: nonisolated(nonsending) (StoredWorkflow, EntityContext) async throws -> Void
    ) async throws {
        try await execute { context in
            guard let stored = try await context.find(StoredWorkflow.self, id: instance) else {
                throw WorkflowError.unknown(instance)
            }
            try await body(stored, context)
        }
    }
}

extension EntityContext {
    /// Returns the limit of `stored`, and the instances with its key; `nil` if there is no limit.
    fileprivate nonisolated(nonsending) func concurrency(
        of stored: StoredWorkflow
    ) async throws -> WorkflowDetails.Concurrency? {
        guard let concurrency = stored.concurrency, let id = stored.queue else { return nil }
        var position: Int?
        if let place = stored.place {
            position =
                try await count(StoredWorkflow.self, where: [StoredWorkflowQueue.isWaiting(in: id, before: place)]) + 1
        }
        return WorkflowDetails.Concurrency(
            limit: concurrency.limit,
            key: concurrency.key,
            holders: try await find(StoredWorkflowQueue.self, id: id)?.holders ?? [],
            queuedCount: try await count(StoredWorkflow.self, where: [StoredWorkflowQueue.isWaiting(in: id)]),
            position: position
        )
    }
}

extension StoredWorkflow.Event {
    /// The event in words.
    fileprivate var title: String {
        WorkflowEnd.instance(in: name).map { "the end of the workflow '\($0)'" } ?? name
    }
}
