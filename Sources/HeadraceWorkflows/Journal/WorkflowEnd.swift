// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceStorage

/// The end of an instance, as the instances that wait for it receive it.
package struct WorkflowEnd: Codable, Hashable, Sendable {
    package let state: WorkflowState

    /// The result as JSON; `nil` unless the instance has completed.
    package let output: String?

    package let failure: WorkflowStepError?

    private static let prefix = "headrace.workflow-end/"

    /// The name of the event by which other instances receive the end of `instance`.
    static func name(of instance: String) -> String { prefix + instance }

    /// The instance in the name of an event; `nil` if it is an event of the application.
    static func instance(in name: String) -> Substring? {
        name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : nil
    }
}

extension EntityContext {
    /// Lets the instance `parent` receive the end of the instance `child`, also if it has ended already.
    nonisolated(nonsending) func announce(theEndOf child: String, to parent: String) async throws {
        guard let child = try await find(StoredWorkflow.self, id: child) else { return }
        if child.isOpen {
            if !child.parents.contains(parent) { child.parents.append(parent) }
        } else if let parent = try await find(StoredWorkflow.self, id: parent) {
            try parent.events.append(child.endEvent)
        }
    }

    /// Removes the last records of a journal; `stored` receives the events in them again.
    nonisolated(nonsending) func remove(
        _ journal: ArraySlice<StoredWorkflowRecord>,
        of stored: StoredWorkflow
    ) async throws {
        var events: [StoredWorkflow.Event] = []
        for entry in journal {
            delete(entry)
            let record = entry.record
            if record.kind != .event || record.result.isEmpty { continue }
            if let child = WorkflowEnd.instance(in: record.name) {
                // It may have been opened again since.
                try await announce(theEndOf: String(child), to: stored.id)
            } else {
                events.append(StoredWorkflow.Event(name: record.name, version: record.version, json: record.result))
            }
        }
        stored.events = events + stored.events
        stored.recordCount -= journal.count
    }

    /// Ends `stored`, and lets the instances that wait for it go on.
    nonisolated(nonsending) func end(_ stored: StoredWorkflow, as state: WorkflowState, at now: Date) async throws {
        stored.end(as: state, at: now, in: self)
        try await leaveQueue(stored, at: now)
        for parent in try await find(StoredWorkflow.self, ids: stored.parents) where parent.isOpen {
            try parent.events.append(stored.endEvent)
            try parent.wake(at: now, in: self)
        }
        stored.parents = []
    }
}

extension StoredWorkflow {
    fileprivate var endEvent: Event {
        get throws {
            let end = WorkflowEnd(state: state, output: output, failure: failure)
            let json = String(decoding: try DocumentCoding.encode(end), as: UTF8.self)
            return Event(name: WorkflowEnd.name(of: id), version: 1, json: json)
        }
    }
}
