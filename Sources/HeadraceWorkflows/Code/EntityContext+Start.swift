// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceCore
public import HeadraceDomain
import HeadraceStorage

extension EntityContext {
    /// Starts an instance of `workflow` if the unit of work commits: a `Relay` runs it from then on.
    ///
    /// ```swift
    /// try await unitOfWork.execute { context in
    ///     context.insert(order)
    ///     try await context.start(Fulfilment(order: order.id), id: order.id)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - workflow: The workflow with its input.
    ///   - id: The identifier, unique among the instances of the workflow. If it has an instance, running or ended, nothing happens.
    /// - Returns: Whether the instance is new.
    /// - Throws: The error of the input's encoding; ``HeadraceStorage/StoreError``, also from the commit if another unit of work has
    ///   started the instance meanwhile; `CancellationError`.
    @discardableResult
    public nonisolated(nonsending) func start<Workflow: DurableWorkflow>(
        _ workflow: Workflow,
        id: some EntityIdentifier
    ) async throws -> Bool {
        let key = id.storageKey
        let instance = StoredWorkflow.id(of: Workflow.workflowName, key: key)
        if try await find(StoredWorkflow.self, id: instance) != nil { return false }
        let now = SystemValues.currentDate.usable
        let stored = StoredWorkflow(
            workflow: Workflow.workflowName,
            version: Workflow.workflowVersion,
            key: key,
            input: try DocumentCoding.encode(workflow),
            concurrency: workflow.concurrency,
            startedAt: now
        )
        insert(stored)
        try stored.begin(at: now, in: self)
        return true
    }
}
