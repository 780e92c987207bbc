// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
import HeadraceDomain
import HeadraceRelay
import HeadraceResolution
import HeadraceStorage
import Logging

/// Passes the events of one type to the instances of one workflow, in the unit of work of their delivery.
struct WorkflowEventHandler<Workflow: DurableWorkflow, Event: DurableDomainEvent>: HandlesDurableDomainEvent, Resolvable
{
    private let context: EntityContext

    static var subscriptionName: String { Workflow.workflowName }

    static var dependencies: Dependencies { Dependencies().on(EntityContext.self) }

    init(scope: borrowing any DependencyResolutionScope) {
        context = scope.resolve()
    }

    nonisolated(nonsending) func handle(_ event: Event) async throws {
        guard let key = Workflow.receives.lazy.filter({ $0.type == Event.self }).compactMap({ $0.key(event) }).first
        else {
            return
        }
        // A replay would pass the event again.
        if DeliveryContext.current?.isReplay == true { return ignore(key, "it is replayed") }
        let id = StoredWorkflow.id(of: Workflow.workflowName, key: key)
        guard let stored = try await context.find(StoredWorkflow.self, id: id) else {
            return ignore(key, "no instance has the identifier")
        }
        if let endedAt = stored.endedAt, stored.state != .failed {
            return ignore(key, "the instance has ended at \(endedAt)")
        }
        let json = String(decoding: try DocumentCoding.encode(event), as: UTF8.self)
        stored.events.append(StoredWorkflow.Event(name: Event.eventName, version: Event.eventVersion, json: json))
        if stored.isOpen { try stored.wake(at: SystemValues.currentDate.usable, in: context) }
    }

    private func ignore(_ key: String, _ reason: String) {
        DeliveryContext.current?.remark.set(
            DeliveryRemark.Content(
                process: Workflow.workflowName, key: key, text: "'\(Event.eventName)' ignored, because \(reason)"))
        Logger.current.notice(
            "A workflow ignores an event",
            metadata: [
                "headrace.workflow": "\(Workflow.workflowName)/\(key)", "headrace.workflow.event": "\(Event.eventName)",
                "reason": "\(reason)",
            ]
        )
    }
}
