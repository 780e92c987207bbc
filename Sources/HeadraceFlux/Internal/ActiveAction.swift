//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// An action that is being executed: known to the task that does it, and to those that it starts.
@usableFromInline
final class ActiveAction: Sendable {
    @TaskLocal private static var current: ActiveAction?

    /// Binds the action to the task that executes it, and to those that it starts.
    @usableFromInline static var binding: TaskLocal<ActiveAction?> { $current }

    /// Where the actions wait that other tasks execute within this one; made when one does.
    private struct Inner {
        var line: ActionLine?
        var isClosed = false
    }

    private let inner = Mutex(Inner())

    private let pipeline: Pipeline

    /// Who is next when this one has ended.
    private let turns: ActionLine

    /// Where the task is that executes the action, or for which that one stands in; it means something until the action ends.
    private let task: UInt

    /// The action within which this one is executed, on another pipeline or in another task.
    private let outer: ActiveAction?

    /// Begins one, which has its turn in `turns`, and is what this task executes next; `task` is where this task is.
    init(on pipeline: Pipeline, turns: ActionLine, within outer: ActiveAction?, in task: UInt) {
        self.pipeline = pipeline
        self.turns = turns
        self.outer = outer
        self.task = TaskIdentity.represented(by: task)
        if turns === pipeline.line { pipeline.beginExecuting(in: task) }
    }

    /// Whether this task executes the action; what it awaits is executed in place.
    var isExecutedHere: Bool {
        let own = TaskIdentity.address
        return own == task || TaskIdentity.represented(by: own) == task
    }

    /// Whether the action has ended.
    private var isClosed: Bool { inner.withLock { $0.isClosed } }

    /// Where the actions wait that other tasks execute within this one, or `nil` where it has ended.
    var line: ActionLine? {
        inner.withLock { inner in
            if inner.isClosed { return nil }
            if let line = inner.line { return line }
            let line = ActionLine(limit: nil, overflow: .suspend)
            inner.line = line
            return line
        }
    }

    /// Ends the action, which takes no more, and passes its turn on when those that other tasks execute within it have ended.
    @usableFromInline
    func end() {
        if turns === pipeline.line { pipeline.endExecuting() }
        let line = inner.withLock { inner in
            inner.isClosed = true
            return inner.line
        }
        if let line { line.close { [turns] in turns.passTurn() } } else { turns.passTurn() }
    }

    /// The innermost action within which the task is, and which has not ended; a task that one has left behind is not
    /// within it any more.
    static var enclosing: ActiveAction? {
        var next = current
        while let active = next, active.isClosed { next = active.outer }
        return next
    }

    /// The innermost action of `pipeline` that is this one, or around it, and has not ended.
    func innermost(of pipeline: Pipeline) -> ActiveAction? {
        var next: ActiveAction? = self
        while let active = next {
            if active.pipeline === pipeline, !active.isClosed { return active }
            next = active.outer
        }
        return nil
    }
}
