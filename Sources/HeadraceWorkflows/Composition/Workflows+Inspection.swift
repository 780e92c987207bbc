// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
package import HeadraceDomain
package import HeadraceStorage

/// Reading instances whose types the program doesn't know, for inspectors.
extension Workflows {
    /// Creates a value for the instances in `store`; no units of work are observed.
    package init(inspecting store: any DeliveryStore) {
        self.init(on: store, delegator: NoDelegator())
    }

    /// Returns an instance and its journal, in order; `nil` if there is none.
    package nonisolated(nonsending) func inspect(
        named name: String, id: String
    ) async throws -> (instance: StoredWorkflow, journal: [WorkflowRecord])? {
        try await execute { context in
            let key = StoredWorkflow.id(of: name, key: id)
            guard let stored = try await context.find(StoredWorkflow.self, id: key) else { return nil }
            return (stored, try await context.journal(of: stored).map(\.record))
        }
    }

    /// Returns a page of instances as they are stored; see ``list(named:in:after:limit:)``.
    package nonisolated(nonsending) func stored(
        named name: String? = nil, in state: WorkflowState? = nil, after cursor: PageCursor? = nil, limit: Int
    ) async throws -> (instances: [StoredWorkflow], next: PageCursor?) {
        try await execute { context in
            var conditions: [EntityCondition<StoredWorkflow>] = []
            if let state { conditions.append(.equals(.state, state.rawValue)) }
            if let name { conditions.append(.equals(.workflow, name)) }
            let page = try await context.page(StoredWorkflow.self, where: conditions, after: cursor, limit: limit)
            return (page.entities, page.next)
        }
    }
}

extension WorkflowRecord {
    /// The end of another instance, if the step has waited for it; `nil` for other steps.
    package var childEnd: WorkflowEnd? {
        if WorkflowEnd.instance(in: name) == nil || result.isEmpty { return nil }
        return try? DocumentCoding.decode(WorkflowEnd.self, from: Data(result.utf8))
    }

    /// The workflow and the key of the instance for whose end a step with the name `name` waits; `nil` for other events.
    package static func child(in name: String) -> (workflow: String, key: String)? {
        guard let instance = WorkflowEnd.instance(in: name), let slash = instance.firstIndex(of: "/") else {
            return nil
        }
        return (String(instance[..<slash]), String(instance[instance.index(after: slash)...]))
    }
}
