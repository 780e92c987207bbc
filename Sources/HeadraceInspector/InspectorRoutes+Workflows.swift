// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceDomain
import HeadraceRelay
import HeadraceStorage
import HeadraceWorkflows

/// The instances of durable workflows: a list, one instance with its journal, and the operations on it.
extension InspectorRoutes {
    /// The client's handle isn't known.
    struct UnknownInstanceError: Error {}

    /// An operation on an instance.
    enum WorkflowOperation: String {
        case cancel, retry, terminate
    }

    /// The body of a request for an operation.
    struct InstanceSelection: Decodable {
        let store: String?
        let instance: UUID
    }

    nonisolated(nonsending) func workflows(_ target: RequestTarget) async -> InspectorResponse {
        guard let inspected = inspectedStore(target.query["store"]) else { return Self.noStore }
        guard inspected.hasWorkflows else { return Self.noWorkflows }
        guard let limit = Self.number(target.query["limit"], default: 100, in: 1...Self.pageLimit) else {
            return Self.badNumber
        }
        let (stateText, cursorText) = (target.query["state"] ?? "", target.query["after"] ?? "")
        let state = WorkflowState(rawValue: stateText)
        let cursor = UUID(uuidString: cursorText).flatMap { handles.text(of: $0) }.flatMap { PageCursor($0) }
        guard state != nil || stateText.isEmpty, cursor != nil || cursorText.isEmpty else {
            return .refusal(400, "The state or the cursor is unknown. To fix, use one from a response, or omit it.")
        }
        let name = target.query["workflow"].flatMap { $0.isEmpty ? nil : $0 }
        return await answering {
            let configuration = self.inspector.recorder.configuration
            let page = try await Workflows(inspecting: inspected.store)
                .stored(named: name, in: state, after: cursor, limit: limit)
            let views = page.instances.map { stored in
                WorkflowView(stored, handle: self.handles.handle(of: stored.id), configuration)
            }
            return .json(WorkflowPage(views, next: page.next.map { self.handles.handle(of: "\($0)") }))
        }
    }

    nonisolated(nonsending) func workflowInstance(_ target: RequestTarget) async -> InspectorResponse {
        guard let inspected = inspectedStore(target.query["store"]) else { return Self.noStore }
        guard inspected.hasWorkflows else { return Self.noWorkflows }
        guard let limit = Self.number(target.query["limit"], default: 100, in: 1...Self.pageLimit) else {
            return Self.badNumber
        }
        guard let handle = target.query["instance"].flatMap({ UUID(uuidString: $0) }),
            let id = handles.instance(of: handle)
        else { return Self.noInstance }
        return await answering {
            let workflows = Workflows(inspecting: inspected.store)
            guard let found = try await workflows.inspect(named: id.workflow, id: id.key) else {
                return Self.noInstance
            }
            let recorder = self.inspector.recorder
            return .json(
                WorkflowDetails(
                    found.instance, found.journal, handle: handle, limit: limit, now: recorder.now,
                    recorder.configuration))
        }
    }

    static var noInstance: InspectorResponse {
        .refusal(404, "The instance isn't in the store any longer. To fix, select one from the list.")
    }

    private static var noWorkflows: InspectorResponse {
        .refusal(
            404,
            "The store has no workflows. To fix, add 'StoredWorkflow.self' to the 'entities' that the store is created with."
        )
    }

    /// The answer to an operation that the store has refused; without the message of the error, which may have hidden content.
    static func refusal(of error: WorkflowError) -> InspectorResponse {
        if error.code == .unknownInstance { return noInstance }
        return .refusal(
            409,
            "The instance has ended, and only a failed instance can be retried. To do its task, start another instance."
        )
    }
}

extension InspectedStore {
    /// Whether the store was opened with `StoredWorkflow`.
    var hasWorkflows: Bool { store.schema.contains(StoredWorkflow.entityName) }
}

extension InstanceHandles {
    /// Returns the instance that has received `handle`; `nil` if it isn't known.
    func instance(of handle: UUID) -> (workflow: String, key: String)? {
        guard let text = text(of: handle), let slash = text.firstIndex(of: "/") else { return nil }
        return (String(text[..<slash]), String(text[text.index(after: slash)...]))
    }
}

extension Workflows {
    nonisolated(nonsending) func perform(
        _ operation: InspectorRoutes.WorkflowOperation, on instance: (workflow: String, key: String)
    ) async throws {
        let id = StoredWorkflow.id(of: instance.workflow, key: instance.key)
        switch operation {
        case .cancel: try await cancel(id)
        case .retry: try await retry(id)
        case .terminate: try await terminate(id)
        }
    }
}
