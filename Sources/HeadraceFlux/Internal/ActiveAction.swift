//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

/// An action that is being executed: known to the task that does it, and to those that it starts.
final class ActiveAction: Sendable {
    @TaskLocal private static var current: ActiveAction?

    /// The task that executes the action; what it awaits is executed in place.
    let task: TaskIdentity

    /// Where the actions wait that other tasks execute within this one; made when one does.
    private struct Inner {
        var line: ActionLine?
        var isClosed = false
    }

    private let inner = Mutex(Inner())

    private let pipeline: ObjectIdentifier

    /// The action within which this one is executed, on another pipeline or in another task.
    private let outer: ActiveAction?

    /// Creates one for what is executed next in this task.
    init(on pipeline: Pipeline) {
        self.pipeline = ObjectIdentifier(pipeline)
        task = .current
        // Without those that have ended: a task that one of them has left behind may have started this one.
        outer = Self.firstRunning(from: Self.current)
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

    /// Takes no more actions, and calls `onIdle` when those that other tasks execute within this one have ended.
    func close(_ onIdle: @escaping @Sendable () -> Void) {
        let line = inner.withLock { inner in
            inner.isClosed = true
            return inner.line
        }
        if let line { line.close(onIdle) } else { onIdle() }
    }

    private static func firstRunning(from active: ActiveAction?) -> ActiveAction? {
        var next = active
        while let active = next, active.isClosed { next = active.outer }
        return next
    }

    /// The innermost action of `pipeline` within which the task is, if there is one.
    static func innermost(of pipeline: Pipeline) -> ActiveAction? {
        var next = current
        while let active = next {
            if active.pipeline == ObjectIdentifier(pipeline), active.task.isCurrent || !active.isClosed {
                return active
            }
            next = active.outer
        }
        return nil
    }

    /// Runs `operation` as what the action does.
    nonisolated(nonsending) func run(_ operation: nonisolated(nonsending) () async throws -> Void) async throws {
        try await Self.$current.binding(self, operation)
    }
}
