// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Logging
import Synchronization

/// A running action.
///
/// It is known to the task that executes it, and to the tasks that this task starts.
@usableFromInline
final class ActiveAction: Sendable {
    @TaskLocal private static var current: ActiveAction?

    /// The task-local variable that makes the action known to those tasks.
    @usableFromInline static var binding: TaskLocal<ActiveAction?> { $current }

    /// The right to run, which the action passes on when it has ended.
    private struct Turn {
        let pipeline: Pipeline

        /// The queue that gets the turn back when the action has ended.
        let queue: ActionQueue
    }

    private struct State {
        /// `nil` when the action has ended, so that the action keeps no other object alive.
        ///
        /// A queued action may keep it for a long time.
        var turn: Turn?

        /// The queue of the actions that other tasks execute within this action.
        ///
        /// It is made for the first such action.
        var inner: ActionQueue?
    }

    private let state: Mutex<State>

    private let type: any Action.Type

    /// Address of the task that executes the action, or that this task represents.
    ///
    /// It is valid until the action ends.
    private let task: UInt

    /// The enclosing action, on another pipeline or in another task.
    private let outer: ActiveAction?

    /// Begins an action of `type`, which has the turn of `queue`.
    ///
    /// `task` is the address of this task, which executes it.
    init(
        _ type: any Action.Type,
        on pipeline: Pipeline,
        turnIn queue: ActionQueue,
        within outer: ActiveAction?,
        in task: UInt
    ) {
        self.type = type
        self.outer = outer
        self.task = TaskIdentity.represented(by: task)
        state = Mutex(State(turn: Turn(pipeline: pipeline, queue: queue)))
        if queue === pipeline.queue { pipeline.beginExecuting(in: task) }
    }

    /// Whether this task executes the action.
    ///
    /// Then the actions that it awaits run in place.
    var isExecutedHere: Bool {
        let own = TaskIdentity.address
        return own == task || TaskIdentity.represented(by: own) == task
    }

    /// Whether the action has ended.
    private var isClosed: Bool { state.withLock { $0.turn == nil } }

    /// The queue for actions that other tasks execute within this action, or `nil` if this action has ended.
    var queue: ActionQueue? {
        state.withLock { state in
            guard let turn = state.turn else { return nil }
            if let inner = state.inner { return inner }
            let inner = ActionQueue(within: turn.queue)
            state.inner = inner
            return inner
        }
    }

    /// Ends the action, and passes its turn on after the actions that other tasks execute within it have ended.
    @usableFromInline
    func end() {
        finish()?.passTurn()
    }

    /// Ends the action.
    ///
    /// Other tasks can't execute further actions within it.
    ///
    /// - Returns: The queue whose turn the caller must pass on. `nil` if other tasks still execute actions within this action;
    ///   then the last of them passes the turn on.
    func finish() -> ActionQueue? {
        let (turn, inner) = state.withLock { state in
            defer { state = State() }
            return (state.turn, state.inner)
        }
        guard let turn else { return nil }
        if turn.queue === turn.pipeline.queue { turn.pipeline.endExecuting() }
        let queue = turn.queue
        if let inner, !inner.close({ queue.passTurn() }) { return nil }
        return queue
    }

    /// The innermost action around this task that hasn't ended.
    ///
    /// A task that outlives its action is no longer within it.
    static var enclosing: ActiveAction? { firstOpen(from: current) }

    /// Returns the innermost of `action` and its enclosing actions that hasn't ended.
    static func firstOpen(from action: ActiveAction?) -> ActiveAction? {
        var next = action
        while let active = next, active.isClosed { next = active.outer }
        return next
    }

    /// Returns the innermost of this action and its enclosing actions that belongs to `pipeline` and hasn't ended.
    func innermost(of pipeline: Pipeline) -> ActiveAction? {
        var next: ActiveAction? = self
        while let active = next {
            if active.state.withLock({ $0.turn?.pipeline === pipeline }) { return active }
            next = active.outer
        }
        return nil
    }

    /// The turns that can't be passed on before this task continues: the turns of the actions that it executes, and of the
    /// enclosing actions that wait for them.
    static var turnsHeldHere: [HeldTurn] {
        var held: [HeldTurn] = []
        var next = current
        while let active = next {
            var queue = active.isExecutedHere ? active.state.withLock { $0.turn?.queue } : nil
            while let turn = queue {
                held.append(HeldTurn(queue: ObjectIdentifier(turn), action: active.type))
                queue = turn.outer
            }
            next = active.outer
        }
        return held
    }
}

/// An action in the queue that no task awaits.
///
/// It doesn't keep the dispatcher alive. Only the task that executes the queue does, so a paused dispatcher can be released
/// together with its queue.
protocol QueuedAction: AnyObject, Sendable {
    /// The action, from which the overflow policy may make a key.
    var message: any Action { get }

    /// The priority of the caller that queued it.
    var priority: TaskPriority { get }

    /// The dispatcher, or `nil` if it was released.
    var dispatcher: AnyObject? { get }

    /// Executes the action, which has the turn of `queue`, and passes the turn on.
    ///
    /// - Returns: The queued action that has the turn now, or `nil` if no queued action has it.
    nonisolated(nonsending) func execute(on queue: ActionQueue) async -> (any QueuedAction)?

    /// Logs the reason why the action isn't executed.
    func reject(_ error: any Error)
}

/// A queued action with the task-local values and the enclosing action of its caller.
final class DispatcherAction<A: Action>: QueuedAction where A.Dispatcher: Dispatcher {
    let priority: TaskPriority

    private let action: A
    private weak let target: A.Dispatcher?
    private let values: CarriedValues

    /// The action that was running when this action was queued.
    ///
    /// This action may use its dispatcher without waiting.
    private let enclosing: ActiveAction?

    init(_ action: A, for dispatcher: A.Dispatcher, carrying listed: [CarriedTaskLocal]) {
        self.action = action
        target = dispatcher
        values = CarriedValues(carrying: listed)
        enclosing = ActiveAction.enclosing
        priority = Task.currentPriority
    }

    var message: any Action { action }

    var dispatcher: AnyObject? { target }

    nonisolated(nonsending) func execute(on queue: ActionQueue) async -> (any QueuedAction)? {
        guard let target else {
            reject(PipelineError.released)
            return queue.passTurnWithinDrain()
        }
        let active = ActiveAction(
            A.self,
            on: target.pipeline,
            turnIn: queue,
            within: ActiveAction.firstOpen(from: enclosing),
            in: TaskIdentity.address
        )
        do {
            try await values.run {
                try await ActiveAction.binding.binding(active) {
                    try await target.executeWrapped(action, within: await target.middlewares)
                }
            }
        } catch {
            reject(error)
        }
        return active.finish()?.passTurnWithinDrain()
    }

    func reject(_ error: any Error) {
        values.logger.error(
            "A queued action failed or was not executed, and no caller awaits it.",
            metadata: ["headrace.action": "\(String(reflecting: A.self))", "error": "\(error)"]
        )
    }
}
