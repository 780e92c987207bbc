// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// An object whose state is changed by actions, which run one at a time, in the order dispatched.
///
/// ```swift
/// actor CounterStore: Dispatcher {
///     let pipeline = Pipeline()
///     var count = 0
/// }
///
/// struct Increment: Action {
///     var value = 1
///
///     func execute(with store: isolated CounterStore) async { store.count += value }
/// }
///
/// async let one = store.dispatch(Increment())
/// async let ten = store.dispatch(Increment(value: 10))
/// _ = await [one, ten]
/// ```
///
/// An actor, a class of the main actor, or any other `Sendable` class can be a dispatcher. Each dispatcher needs its own
/// ``Pipeline``, and the pipeline must be a constant, because synchronous code outside of the actor reads it to queue
/// actions. `middlewares` may be a variable of the actor. An action starts after the previous action has ended, even if the
/// previous action is suspended several times. An actor alone doesn't guarantee that, because actors are re-entrant.
///
/// If an action awaits another action of the same dispatcher, the inner action runs in place, because waiting for its turn
/// would be a deadlock. Actions that are dispatched by tasks of a running action run in place too, one at a time, and end
/// before the next action starts. To run an action after the current action, call ``queue(_:)``.
public protocol Dispatcher: AnyObject, Sendable {
    /// The queue of the actions.
    ///
    /// Each dispatcher has its own pipeline, which is a constant.
    nonisolated var pipeline: Pipeline { get }

    /// The middleware around each action, the outermost first.
    ///
    /// The default is an empty array.
    ///
    /// It may be a constant, or a variable that belongs to the actor of the dispatcher. It is read at the start of each
    /// action.
    nonisolated var middlewares: [any Middleware] { get async }

    /// Whether an action is being executed.
    ///
    /// Every dispatcher has this property already. It is a requirement so that the compiler rejects a stored
    /// `var isDispatching` of an actor or of a main-actor class, which would never change.
    nonisolated var isDispatching: Bool { get }
}

extension Dispatcher {
    /// No middleware, unless the dispatcher declares its own.
    @inlinable public nonisolated var middlewares: [any Middleware] { [] }
}

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
        if middleware.isEmpty, pipeline.observers.isEmpty { return try await action.execute(with: self) }
        let chain = MiddlewareChain(middleware: middleware, observers: pipeline.observers, clock: pipeline.clock)
        try await chain.run(action, kind: .action) { action in try await action.execute(with: self) }
    }
}

extension Dispatcher {
    /// Whether an action is being executed.
    public nonisolated var isDispatching: Bool { pipeline.queue.isBusy }

    /// Whether actions are executed.
    ///
    /// While it is `false`, the dispatcher is paused, and actions wait.
    public nonisolated var isActive: Bool { pipeline.queue.isActive }

    /// Resumes a paused dispatcher.
    ///
    /// The waiting actions run first.
    public nonisolated func activate() {
        pipeline.queue.activate()
    }

    /// Pauses the dispatcher.
    ///
    /// New actions wait; a running action isn't interrupted.
    public nonisolated func deactivate() {
        pipeline.queue.deactivate()
    }

    /// Waits until no action is running or waiting.
    ///
    /// While the dispatcher is paused and actions wait, it doesn't return.
    ///
    /// - Throws: `CancellationError`; ``PipelineError`` with the code `deadlock` if the caller is an action of this dispatcher,
    ///   which would wait for itself, and in a debug build also if an action of this dispatcher waits for the caller.
    public nonisolated(nonsending) func drain() async throws {
        try await pipeline.queue.drain(of: Self.self)
    }

    /// Rejects new actions, and returns after all waiting actions have run.
    ///
    /// If the dispatcher is paused, the waiting actions don't run. Awaited actions throw ``PipelineError`` with the code
    /// `shutDown`, and queued actions are logged. If the task is cancelled, all waiting actions are rejected in the same way.
    ///
    /// If ``drain()`` would throw a deadlock, for example inside an action of this dispatcher, it returns immediately, and the
    /// waiting actions run later. Don't call it in a child task of such an action, because it would wait forever.
    public nonisolated(nonsending) func shutDown() async {
        pipeline.queue.shutDown()
        do {
            try await pipeline.queue.drain(of: Self.self)
        } catch is PipelineError {
            return
        } catch {
            pipeline.queue.rejectWaiting()
        }
    }
}
