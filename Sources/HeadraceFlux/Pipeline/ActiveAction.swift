//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// An action that is being executed: known to the task that executes it, and to the tasks that it starts.
@usableFromInline
final class ActiveAction: Sendable {
    @TaskLocal private static var current: ActiveAction?

    /// Binds the action to the task that executes it, and to the tasks that it starts.
    @usableFromInline static var binding: TaskLocal<ActiveAction?> { $current }

    /// The turn that the action has.
    private struct Turn {
        let pipeline: Pipeline

        /// The queue to which the turn is returned when the action has ended.
        let queue: ActionQueue
    }

    private struct State {
        /// `nil` when the action has ended, so that it keeps nothing alive: queued actions may keep it for long.
        var turn: Turn?

        /// The actions that other tasks execute within this one; made for the first of them.
        var inner: ActionQueue?
    }

    private let state: Mutex<State>

    private let type: any Action.Type

    /// The address of the task that executes the action, or that it represents; valid until the action ends.
    private let task: UInt

    /// The action within which this one is executed, on another pipeline or in another task.
    private let outer: ActiveAction?

    /// Begins an action of `type`, whose turn in `queue` it is, and that this task executes next; `task` is the address of
    /// this task.
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

    /// Whether this task executes the action; the actions that it awaits are executed in place.
    var isExecutedHere: Bool {
        let own = TaskIdentity.address
        return own == task || TaskIdentity.represented(by: own) == task
    }

    /// Whether the action has ended.
    private var isClosed: Bool { state.withLock { $0.turn == nil } }

    /// The queue for actions that other tasks execute within this one; `nil` if the action has ended.
    var queue: ActionQueue? {
        state.withLock { state in
            guard let turn = state.turn else { return nil }
            if let inner = state.inner { return inner }
            let inner = ActionQueue(within: turn.queue)
            state.inner = inner
            return inner
        }
    }

    /// Ends the action, and passes its turn on when the actions that other tasks execute within it have ended.
    @usableFromInline
    func end() {
        finish()?.passTurn()
    }

    /// Ends the action, which takes no more.
    ///
    /// - Returns: The queue whose turn the caller passes on; `nil` if other tasks still execute actions within this one, the
    ///   last of which passes it on.
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

    /// The innermost action within which the task is, and which has not ended; a task that an action has left behind is
    /// not within it any more.
    static var enclosing: ActiveAction? { firstOpen(from: current) }

    /// The innermost of `action` and the actions around it that has not ended.
    static func firstOpen(from action: ActiveAction?) -> ActiveAction? {
        var next = action
        while let active = next, active.isClosed { next = active.outer }
        return next
    }

    /// The innermost action of `pipeline` that is this one, or around it, and has not ended.
    func innermost(of pipeline: Pipeline) -> ActiveAction? {
        var next: ActiveAction? = self
        while let active = next {
            if active.state.withLock({ $0.turn?.pipeline === pipeline }) { return active }
            next = active.outer
        }
        return nil
    }

    /// The turns that are not passed on before this task goes on: those of the actions that it executes, and of the
    /// actions around those that wait for them.
    static var turnsHeldHere: [WaitGraph.HeldTurn] {
        var held: [WaitGraph.HeldTurn] = []
        var next = current
        while let active = next {
            var queue = active.isExecutedHere ? active.state.withLock { $0.turn?.queue } : nil
            while let turn = queue {
                held.append(WaitGraph.HeldTurn(queue: ObjectIdentifier(turn), action: active.type))
                queue = turn.outer
            }
            next = active.outer
        }
        return held
    }
}
