//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension Dispatcher {
    /// Executes `action` when its turn has come, and returns when that is done.
    ///
    /// It is executed in the task and on the actor of the caller. Within an action of this dispatcher it is executed in
    /// place. Where the caller is cancelled before its turn, the action is not executed.
    ///
    /// - Throws: What the action throws, or what keeps it from being executed: ``PipelineError``, with the code `deadlock` if
    ///   the action that this task executes and another one would wait for each other; `MessageError` with the code
    ///   `refused` and whatever else a middleware throws; `CancellationError`.
    @inlinable
    @_disfavoredOverload  // Else a closure that returns nothing takes it also for an action that does not throw.
    public nonisolated(nonsending) func dispatch<A: Action>(_ action: A) async throws where A.Dispatcher == Self {
        switch pipeline.admit(A.self) {
        case .inPlace:
            let middleware = await middlewares
            if middleware.isEmpty { return try await action.execute(with: self) }
            try await executeWrapped(action, within: middleware)
        case .turn(let active):
            defer { active.end() }
            try await ActiveAction.binding.binding(active) {
                let middleware = await middlewares
                if middleware.isEmpty { return try await action.execute(with: self) }
                try await executeWrapped(action, within: middleware)
            }
        case .unknown:
            try await dispatchInTurn(action)
        }
    }

    /// As the throwing `dispatch(_:)`, for an action that does not throw.
    ///
    /// - Returns: Whether it was executed: `failure` with what kept it from that.
    @inlinable
    @discardableResult
    public nonisolated(nonsending) func dispatch<A: Action>(_ action: A) async -> MessageOutcome
    where A.Dispatcher == Self, A.Failure == Never {
        do {
            try await dispatch(action) as Void
            return .success
        } catch {
            return .failure(error)
        }
    }

    /// Queues `action` and returns at once, also within an action of this dispatcher.
    ///
    /// Functions that are not asynchronous use it too. `dispatch(_:)` has no synchronous form: at the top level of `main.swift`
    /// the compiler would prefer that form even after `await`.
    ///
    /// It is executed when its turn has come. One task executes all queued actions, one after the other, each with the
    /// priority, message, principal, deadline, logger, trace, and container of its caller; for other task-local values, see
    /// ``Pipeline/init(limit:overflow:observers:clock:carrying:)``. If the action can't be executed, or throws, the error
    /// is logged. The queue doesn't keep the dispatcher alive while it is paused.
    public nonisolated func queue<A: Action>(_ action: A) where A.Dispatcher == Self {
        let pipeline = pipeline
        pipeline.queue.queue(DispatcherAction(action, for: self, carrying: pipeline.carried))
    }

    /// Executes `action` within the one that is being executed; from anywhere else it waits for its turn.
    ///
    /// It is the word for composing actions out of others: there is no difference to awaiting `dispatch(_:)`.
    ///
    /// - Throws: As of `dispatch(_:)`.
    @inlinable
    @_disfavoredOverload
    public nonisolated(nonsending) func execute<A: Action>(_ action: A) async throws where A.Dispatcher == Self {
        try await dispatch(action) as Void
    }

    /// As the throwing `execute(_:)`, for an action that does not throw.
    ///
    /// - Returns: As of the `dispatch(_:)` that does not throw.
    @inlinable
    @discardableResult
    public nonisolated(nonsending) func execute<A: Action>(_ action: A) async -> MessageOutcome
    where A.Dispatcher == Self, A.Failure == Never {
        await dispatch(action)
    }

    /// Executes `action` in place, or when its turn has come, within whatever wraps and watches it.
    @usableFromInline
    nonisolated(nonsending) func dispatchInTurn<A: Action>(_ action: A) async throws where A.Dispatcher == Self {
        let pipeline = pipeline
        // An action may end meanwhile; then the next one around this task counts.
        while let active = ActiveAction.enclosing?.innermost(of: pipeline) {
            if active.isExecutedHere { return try await executeWrapped(action, within: await middlewares) }
            guard let queue = active.queue, try await queue.takeTurn(for: action) else { continue }
            return try await executeInTurn(action, on: queue)
        }
        try Task.checkCancellation()
        if !pipeline.queue.takeFreeTurn() {
            guard try await pipeline.queue.takeTurn(for: action) else { throw PipelineError.shutDown }
        }
        try await executeInTurn(action, on: pipeline.queue)
    }

    /// Executes `action`, which has its turn in `queue`, and passes the turn on.
    private nonisolated(nonsending) func executeInTurn<A: Action>(_ action: A, on queue: ActionQueue) async throws
    where A.Dispatcher == Self {
        // Those that have ended are not around it: a task that one of them has left behind may have started this one.
        let active = ActiveAction(
            A.self,
            on: pipeline,
            turnIn: queue,
            within: ActiveAction.enclosing,
            in: TaskIdentity.address
        )
        defer { active.end() }
        try await ActiveAction.binding.binding(active) {
            try await executeWrapped(action, within: await middlewares)
        }
    }

    /// Executes `action` within whatever wraps and watches it.
    @inlinable
    nonisolated(nonsending) func executeWrapped<A: Action>(_ action: A, within middleware: [any Middleware])
        async throws
    where A.Dispatcher == Self {
        let pipeline = pipeline
        if middleware.isEmpty, pipeline.observers.isEmpty { return try await action.execute(with: self) }
        let chain = MiddlewareChain(middleware: middleware, observers: pipeline.observers, clock: pipeline.clock)
        try await chain.run(action, kind: .action) { action in try await action.execute(with: self) }
    }
}
