// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
public import HeadraceDomain
import HeadraceRelay
public import HeadraceStorage

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
            startedAt: now
        )
        insert(stored)
        try stored.arm(at: now, since: now, in: self)
        return true
    }
}

/// The instances of workflows in a store: their states and results, and what operators do with them.
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
        try await change { context in try await context.start(workflow, id: id) }
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
            case .running, .blocked: continue
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
        try await change { context in
            let key = StoredWorkflow.id(of: Workflow.workflowName, key: id.storageKey)
            return try await context.find(StoredWorkflow.self, id: key).map { WorkflowStatus($0) }
        }
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
        try await change { context in
            var conditions: [EntityCondition<StoredWorkflow>] = []
            if let state { conditions.append(.equals(.state, state.rawValue)) }
            if let name { conditions.append(.equals(.workflow, name)) }
            let page = try await context.page(StoredWorkflow.self, where: conditions, after: cursor, limit: limit)
            return (page.entities.map { WorkflowStatus($0) }, page.next)
        }
    }

    /// Cancels an instance: the steps that its code waits for throw `CancellationError`, so that it can compensate.
    ///
    /// The steps that follow are carried out as usual. An instance that has ended stays as it is.
    ///
    /// - Throws: ``WorkflowError`` with the code `unknownInstance`; ``HeadraceStorage/StoreError``; `CancellationError`.
    public nonisolated(nonsending) func cancel<Workflow: DurableWorkflow>(
        _ type: Workflow.Type,
        id: some EntityIdentifier
    ) async throws {
        try await change(Workflow.workflowName, id) { stored, context in
            guard stored.isOpen else { return }
            stored.mustCancel = true
            try stored.wake(at: now, in: context)
        }
    }

    /// Ends an instance without running its code again.
    ///
    /// - Throws: The same errors as ``cancel(_:id:)``.
    public nonisolated(nonsending) func terminate<Workflow: DurableWorkflow>(
        _ type: Workflow.Type,
        id: some EntityIdentifier
    ) async throws {
        try await change(Workflow.workflowName, id) { stored, context in
            if stored.isOpen { try await context.end(stored, as: .terminated, at: now) }
        }
    }

    /// Lets an instance go on at once: a failed one at its last failed step, and an open one without waiting for its next attempt.
    ///
    /// The journal from the last failed step on is removed, also the records of steps that compensated for it; they can take effect
    /// again. If the code itself has thrown the error, it runs again with the same results, so change the code first.
    ///
    /// - Throws: The same errors as ``cancel(_:id:)``; ``WorkflowError`` with the code `ended` if the instance has completed or was
    ///   ended on purpose.
    public nonisolated(nonsending) func retry<Workflow: DurableWorkflow>(
        _ type: Workflow.Type,
        id: some EntityIdentifier
    ) async throws {
        try await change(Workflow.workflowName, id) { stored, context in
            if stored.isOpen {
                stored.forgetPauses()
                return try stored.arm(at: now, since: now, in: context)
            }
            guard stored.state == .failed else { throw WorkflowError.ended(WorkflowStatus(stored)) }
            let journal = try await context.journal(of: stored.id)
            if let failed = journal.lastIndex(where: { $0.record.failure != nil }) {
                for record in journal[failed...] { context.delete(record) }
                stored.recordCount = failed
            }
            stored.reopen()
            try stored.arm(at: now, since: now, in: context)
        }
    }

    /// Starts a new instance that has done the steps of another one before `step`, and goes on from there.
    ///
    /// - Parameters:
    ///   - type: The workflow.
    ///   - id: The identifier of the other instance.
    ///   - step: The number of the first step to do again, counting from 1.
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
        try await change { context in
            let key = StoredWorkflow.id(of: Workflow.workflowName, key: id.storageKey)
            guard let stored = try await context.find(StoredWorkflow.self, id: key) else {
                throw WorkflowError.unknown(key)
            }
            let newKey = newID.storageKey
            let fork = StoredWorkflow.id(of: Workflow.workflowName, key: newKey)
            if try await context.find(StoredWorkflow.self, id: fork) != nil { return false }
            let copy = StoredWorkflow(forking: stored, key: newKey)
            let journal = try await context.journal(of: key).map(\.record).prefix { $0.step < step && $0.step > 0 }
            for record in journal {
                copy.recordCount += 1
                context.insert(StoredWorkflowRecord(record, of: copy.id, position: copy.recordCount))
            }
            context.insert(copy)
            try copy.arm(at: now, since: now, in: context)
            return true
        }
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
            let (removed, next) = try await change { context in
                let page = try await context.page(
                    StoredWorkflow.self, where: [.isBelow(.ended, date)], after: cursor, limit: batchLimit)
                var removed = 0
                for stored in page.entities where stored.state != .failed {
                    for record in try await context.journal(of: stored.id) { context.delete(record) }
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

    private var now: Date { wallClock().usable }

    private nonisolated(nonsending) func change<Result>(
        _ body: nonisolated(nonsending) (EntityContext) async throws -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            do {
                return try await UnitOfWork(on: store, delegator: delegator).execute(body)
            } catch let error as StoreError where error.isConflict && attempt < 10 {
                attempt += 1
            }
        }
    }

    private nonisolated(nonsending) func change(
        _ name: String,
        _ id: some EntityIdentifier,
        _ body: nonisolated(nonsending) (StoredWorkflow, EntityContext) async throws -> Void
    ) async throws {
        try await change { context in
            let key = StoredWorkflow.id(of: name, key: id.storageKey)
            guard let stored = try await context.find(StoredWorkflow.self, id: key) else {
                throw WorkflowError.unknown(key)
            }
            try await body(stored, context)
        }
    }
}

/// The state of an instance of a ``DurableWorkflow``.
public struct WorkflowStatus: Hashable, Sendable {
    /// The name of the workflow.
    public let workflow: String

    /// The stored text of the identifier.
    public let id: String

    /// The state.
    public let state: WorkflowState

    /// The input as JSON.
    public let input: String

    /// The time at which the instance was started.
    public let startedAt: Date

    /// The time at which the instance has ended; `nil` while it is open.
    public let endedAt: Date?

    /// Number of steps that were done in the current round.
    public let stepCount: Int

    /// What the instance waits for, each in a few words, such as "the wait for 'packed'".
    public let waits: [String]

    /// The error that has ended the instance, or the last error of a step that is repeated; `nil` if there is none.
    public let failure: WorkflowStepError?

    /// Why the instance is blocked; `nil` if it isn't.
    public let mistake: String?

    private let output: String?

    init(_ stored: StoredWorkflow) {
        workflow = stored.workflow
        id = stored.key
        state = stored.state
        input = stored.input
        startedAt = stored.startedAt
        endedAt = stored.endedAt
        stepCount = stored.recordCount
        waits = stored.waits.map(\.title)
        failure = stored.failure ?? stored.waits.lazy.compactMap(\.failure).first
        mistake = stored.mistake
        output = stored.output
    }

    /// Returns the result of a completed instance.
    func output<Workflow: DurableWorkflow>(of type: Workflow.Type) throws -> Workflow.Output {
        guard let coding = OutcomeCoding(Workflow.Output.self), let output else {
            throw WorkflowError.ended(self)
        }
        return try coding.decode(Data(output.utf8))
    }
}

/// An error of ``Workflows``.
///
/// Branch on ``code``, log ``message``. Later releases may add codes.
public struct WorkflowError: CodedError {
    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<WorkflowError>

    /// The kind of error.
    public let code: Code

    /// The error and how to fix it, in one sentence each.
    public let message: String

    /// The error that has ended the instance; `nil` if none has.
    public let cause: WorkflowStepError?

    static func unknown(_ id: String) -> WorkflowError {
        WorkflowError(
            code: .unknownInstance,
            message: """
                The store has no workflow '\(id)'. To fix, start it first, and pass the identifier that it was started with.
                """,
            cause: nil
        )
    }

    static func ended(_ status: WorkflowStatus) -> WorkflowError {
        ended(workflow: status.workflow, id: status.id, status.state, failure: status.failure)
    }

    static func ended(
        workflow: String,
        id: String,
        _ state: WorkflowState,
        failure: WorkflowStepError? = nil
    ) -> WorkflowError {
        let name = "'\(workflow)/\(id)'"
        switch state {
        case .failed:
            let reason = failure.map { ": \($0)" } ?? "."
            return WorkflowError(
                code: .failed,
                message: "The workflow \(name) has failed\(reason) To fix, correct the cause, and call 'retry'.",
                cause: failure
            )
        case .cancelled:
            return WorkflowError(
                code: .cancelled,
                message: "The workflow \(name) was cancelled. To do its task, start another instance.",
                cause: failure
            )
        case .terminated:
            return WorkflowError(
                code: .terminated,
                message: "An operator has ended the workflow \(name). To do its task, start another instance.",
                cause: nil
            )
        case .running, .blocked, .completed:
            return WorkflowError(
                code: .ended,
                message:
                    "The workflow \(name) is \(state.rawValue). To do its task again, start another instance.",
                cause: nil
            )
        }
    }

    static func blocked(_ problems: [String]) -> WorkflowError {
        let instances = problems.count == 1 ? "1 workflow" : "\(problems.count) workflows"
        let shown = problems.prefix(20).map { "- \($0)" } + (problems.count > 20 ? ["- …"] : [])
        return WorkflowError(
            code: .blocked,
            message: """
                The code doesn't fit the journals of \(instances) in the store. To fix, let 'flow.changed(…)' select the old code \
                for them, or keep the earlier version of the program running until they have ended.
                \(shown.joined(separator: "\n"))
                """,
            cause: nil
        )
    }

    static func notObservable(_ store: any DeliveryStore) -> WorkflowError {
        WorkflowError(
            code: .notObservable,
            message: """
                '\(type(of: store))' can't be observed, so nothing can wait for a result. To fix, use a store that conforms to \
                'ObservableStore', or ask for the 'status'.
                """,
            cause: nil
        )
    }
}

extension ErrorCode<WorkflowError> {
    /// The store has no such instance.
    public static var unknownInstance: Self { Self() }

    /// The instance has failed.
    public static var failed: Self { Self() }

    /// The instance was cancelled.
    public static var cancelled: Self { Self() }

    /// An operator has ended the instance.
    public static var terminated: Self { Self() }

    /// The instance has completed.
    public static var ended: Self { Self() }

    /// The code of the program doesn't fit the journals of open instances.
    public static var blocked: Self { Self() }

    /// The store can't be observed.
    public static var notObservable: Self { Self() }
}
