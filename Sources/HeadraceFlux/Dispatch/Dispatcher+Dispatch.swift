// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Dispatcher {
    /// Executes `action` in its turn, and returns after the action has ended.
    ///
    /// The action runs in the task and on the actor of the caller. Inside an action of this dispatcher it runs in place. If
    /// the caller is cancelled before the turn of the action, the action doesn't run.
    ///
    /// - Throws: The error of the action. If the action can't run: ``PipelineError``, with the code `deadlock` in a debug
    ///   build if two actions would wait for each other; `MessageError` with the code `refused`; another error of a middleware;
    ///   `CancellationError`.
    @inlinable
    @_disfavoredOverload  // Otherwise a closure that returns `Void` prefers it for actions that don't throw.
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

    /// Executes `action`, which doesn't throw, in its turn.
    ///
    /// See the throwing `dispatch(_:)`.
    ///
    /// - Returns: `success` if the action ran, otherwise `failure` with the reason.
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

    /// Queues `action` and returns immediately, also inside an action of this dispatcher.
    ///
    /// Synchronous functions can call it. `dispatch(_:)` has no synchronous overload, because at the top level of
    /// `main.swift` the compiler would prefer that overload even after `await`.
    ///
    /// The action runs in its turn. One task runs all queued actions, one at a time, each with the priority, message,
    /// principal, deadline, logger, trace, and container of its caller. For other task-local values, see
    /// ``Pipeline/init(limit:overflow:observers:clock:carrying:)``. If the action throws or can't run, the error is logged.
    /// A paused queue doesn't keep the dispatcher alive.
    public nonisolated func queue<A: Action>(_ action: A) where A.Dispatcher == Self {
        let pipeline = pipeline
        pipeline.queue.queue(DispatcherAction(action, for: self, carrying: pipeline.carried))
    }

    /// Executes `action` inside the running action.
    ///
    /// Outside of an action it waits for its turn.
    ///
    /// It does the same as `dispatch(_:)`. Use it to compose an action from other actions.
    ///
    /// - Throws: The same errors as `dispatch(_:)`.
    @inlinable
    @_disfavoredOverload
    public nonisolated(nonsending) func execute<A: Action>(_ action: A) async throws where A.Dispatcher == Self {
        try await dispatch(action) as Void
    }

    /// Executes `action`, which doesn't throw, inside the running action.
    ///
    /// See the throwing `execute(_:)`.
    ///
    /// - Returns: `success` if the action ran, otherwise `failure` with the reason.
    @inlinable
    @discardableResult
    public nonisolated(nonsending) func execute<A: Action>(_ action: A) async -> MessageOutcome
    where A.Dispatcher == Self, A.Failure == Never {
        await dispatch(action)
    }

    /// Executes `action` in place or in its turn, surrounded by the middleware and observers.
    @usableFromInline
    nonisolated(nonsending) func dispatchInTurn<A: Action>(_ action: A) async throws where A.Dispatcher == Self {
        let pipeline = pipeline
        // The enclosing action may end meanwhile. Then the next enclosing action is used.
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

    /// Executes `action`, which has the turn of `queue`, and passes the turn on.
    private nonisolated(nonsending) func executeInTurn<A: Action>(_ action: A, on queue: ActionQueue) async throws
    where A.Dispatcher == Self {
        // Actions that have ended don't enclose it: this task may have been started by a task that outlived its action.
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

    /// Executes `action`, surrounded by the middleware and observers.
    @inlinable
    nonisolated(nonsending) func executeWrapped<A: Action>(_ action: A, within middleware: [any Middleware])
        async throws
    where A.Dispatcher == Self {
        let pipeline = pipeline
        if middleware.isEmpty, pipeline.observers == nil { return try await action.execute(with: self) }
        let chain = MiddlewareChain(middleware: middleware, observers: pipeline.observers, clock: pipeline.clock)
        try await chain.run(action, kind: .action) { action in try await action.execute(with: self) }
    }
}
