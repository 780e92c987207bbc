// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore
public import HeadraceDomain
import HeadraceRelay
public import HeadraceStorage

/// Starts, observes, and operates the instances of workflows in a store.
///
/// ```swift
/// let workflows: Workflows = container.resolve()
/// let receipt = try await workflows.result(of: Fulfilment.self, id: order)
/// ```
///
/// `domain(…)` registers it. Within a unit of work on the store, each method except ``result(of:id:)`` joins that unit of work.
public struct Workflows: Sendable {
    private let store: any DeliveryStore
    private let delegator: any DomainEventDelegator
    private let wallClock: @Sendable () -> Date

    /// Creates a value for the instances in `store`, which must have been opened with ``StoredWorkflow``.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - delegator: Notifies the observers of units of work.
    ///   - wallClock: Returns the time; `nil` for the clock of the store, or of this machine if the store has none.
    public init(
        on store: any DeliveryStore,
        delegator: any DomainEventDelegator,
        wallClock: (@Sendable () -> Date)? = nil
    ) {
        self.store = store
        self.delegator = delegator
        self.wallClock = wallClock ?? store.relayClock
    }

    /// Starts an instance in a unit of work; see `start(_:id:)` of `EntityContext`.
    ///
    /// - Returns: Whether the instance is new.
    /// - Throws: The same errors.
    @discardableResult
    public nonisolated(nonsending) func start(
        _ workflow: some DurableWorkflow,
        id: some EntityIdentifier
    ) async throws -> Bool {
        try await execute { context in try await context.start(workflow, id: id) }
    }

    /// Returns the result of an instance, once it has ended.
    ///
    /// - Throws: ``WorkflowError`` with the code `unknownInstance`, or `failed`, `cancelled`, or `terminated` if the instance has ended
    ///   so; the errors of decoding the result; ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func result<Workflow: DurableWorkflow>(
        of type: Workflow.Type,
        id: some EntityIdentifier
    ) async throws -> Workflow.Output {
        let key = StoredWorkflow.id(of: Workflow.workflowName, key: id.storageKey)
        guard let store = store as? any ObservableStore else { throw WorkflowError.notObservable(store) }
        let states = store.observe(polling: .seconds(1)) { context in
            try await context.find(StoredWorkflow.self, id: key).map { WorkflowStatus($0) }
        }
        for try await status in states {
            guard let status else { throw WorkflowError.unknown(key) }
            switch status.state {
            case .queued, .running, .blocked: continue
            case .completed: return try status.output(of: type)
            case .failed, .cancelled, .terminated: throw WorkflowError.ended(status)
            }
        }
        throw CancellationError()
    }

    /// Returns the state of an instance; `nil` if there is none.
    ///
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func status<Workflow: DurableWorkflow>(
        of type: Workflow.Type,
        id: some EntityIdentifier
    ) async throws -> WorkflowStatus? {
        try await status(of: StoredWorkflow.id(of: Workflow.workflowName, key: id.storageKey))
    }

    /// Returns a page of instances, in the order of their identifiers.
    ///
    /// - Parameters:
    ///   - name: The name of the workflow; `nil` for all.
    ///   - state: The state; `nil` for all.
    ///   - cursor: The cursor that the previous page has returned; `nil` for the first page.
    ///   - limit: Maximum number of instances.
    /// - Returns: The states, and the cursor of the next page, or `nil` if this is the last.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func list(
        named name: String? = nil,
        in state: WorkflowState? = nil,
        after cursor: PageCursor? = nil,
        limit: Int = 100
    ) async throws -> (instances: [WorkflowStatus], next: PageCursor?) {
        let page = try await stored(named: name, in: state, after: cursor, limit: limit)
        return (page.instances.map { WorkflowStatus($0) }, page.next)
    }

    /// Cancels an instance: the steps that its code waits for throw `CancellationError`, so that it can compensate.
    ///
    /// The steps that follow are carried out as usual. An instance that waits for its concurrency key ends at once. One that has ended
    /// stays as it is.
    ///
    /// - Throws: ``WorkflowError`` with the code `unknownInstance`; ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func cancel<Workflow: DurableWorkflow>(
        _ type: Workflow.Type,
        id: some EntityIdentifier
    ) async throws {
        try await cancel(StoredWorkflow.id(of: Workflow.workflowName, key: id.storageKey))
    }

    /// Ends an instance without running its code again.
    ///
    /// - Throws: The same errors as ``cancel(_:id:)``.
    public nonisolated(nonsending) func terminate<Workflow: DurableWorkflow>(
        _ type: Workflow.Type,
        id: some EntityIdentifier
    ) async throws {
        try await terminate(StoredWorkflow.id(of: Workflow.workflowName, key: id.storageKey))
    }

    /// Lets an instance go on at once: a failed one at the step that failed, and an open one without waiting for its next attempt.
    ///
    /// The journal from the step on whose error has ended the instance is removed, also the records of steps that compensated for
    /// it; they can take effect again. Events that they had received are received again. If the code itself has thrown the error,
    /// it runs again with the same results, so change the code first.
    ///
    /// - Throws: The same errors as ``cancel(_:id:)``; ``WorkflowError`` with the code `ended` if the instance has completed or was
    ///   ended on purpose.
    public nonisolated(nonsending) func retry<Workflow: DurableWorkflow>(
        _ type: Workflow.Type,
        id: some EntityIdentifier
    ) async throws {
        try await retry(StoredWorkflow.id(of: Workflow.workflowName, key: id.storageKey))
    }

    /// Starts a new instance with the results that another instance has before `step`, and continues from there.
    ///
    /// - Parameters:
    ///   - type: The workflow.
    ///   - id: The identifier of the other instance.
    ///   - step: The number of the first step to repeat, counting from 1.
    ///   - newID: The identifier of the new instance.
    /// - Returns: Whether the instance is new.
    /// - Throws: The same errors as ``cancel(_:id:)``.
    @discardableResult
    public nonisolated(nonsending) func fork<Workflow: DurableWorkflow>(
        _ type: Workflow.Type,
        id: some EntityIdentifier,
        from step: Int,
        as newID: some EntityIdentifier
    ) async throws -> Bool {
        let instance = StoredWorkflow.id(of: Workflow.workflowName, key: id.storageKey)
        return try await fork(instance, from: step, as: newID.storageKey)
    }

    /// Removes all instances that have ended before `date`, except failed ones, with their journals.
    ///
    /// - Parameters:
    ///   - date: The date. A start under the identifier of a removed instance starts it again.
    ///   - batchLimit: Maximum number of instances that are removed in one transaction; it must be at least 1.
    /// - Returns: Number of removed instances.
    /// - Throws: ``HeadraceStorage/StoreError``; `CancellationError`. Instances that were removed before the error stay removed.
    @discardableResult
    public nonisolated(nonsending) func removeEnded(before date: Date, batchLimit: Int = 100) async throws -> Int {
        precondition(batchLimit >= 1, "The batch limit is less than 1. To fix, pass 1 or more.")
        var count = 0
        var cursor: PageCursor?
        repeat {
            try Task.checkCancellation()
            let (removed, next) = try await execute { context in
                let page = try await context.page(
                    StoredWorkflow.self, where: [.isBelow(.ended, date)], after: cursor, limit: batchLimit)
                var removed = 0
                for stored in page.entities where stored.state != .failed {
                    for record in try await context.journal(of: stored) { context.delete(record) }
                    context.delete(stored)
                    removed += 1
                }
                return (removed, page.next)
            }
            count += removed
            cursor = next
        } while cursor != nil
        return count
    }

    var now: Date { wallClock().usable }

    nonisolated(nonsending) func execute<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        try await UnitOfWork(on: store, delegator: delegator).executeAgainAfterConflicts(body)
    }
}

extension WorkflowStatus {
    /// Returns the result of a completed instance.
    fileprivate func output<Workflow: DurableWorkflow>(of type: Workflow.Type) throws -> Workflow.Output {
        guard let coding = OutcomeCoding(Workflow.Output.self), let output else {
            throw WorkflowError.ended(self)
        }
        return try coding.decode(Data(output.utf8))
    }
}
