//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Dispatcher {
    /// Whether an action is being executed.
    public nonisolated var isDispatching: Bool { pipeline.queue.isBusy }

    /// Whether actions are executed as they come; otherwise they wait.
    public nonisolated var isActive: Bool { pipeline.queue.isActive }

    /// Goes on with the actions, those first that came meanwhile.
    public nonisolated func activate() {
        pipeline.queue.activate()
    }

    /// Lets actions wait from now on; one that is being executed is not interrupted.
    public nonisolated func deactivate() {
        pipeline.queue.deactivate()
    }

    /// Returns when no action is being executed and none waits.
    ///
    /// While the dispatcher is not active, it waits for the actions that wait.
    ///
    /// - Throws: `CancellationError`; ``PipelineError`` with the code `deadlock` if the task executes an action that would wait
    ///   for itself: an action of this dispatcher, or one that an action of this dispatcher waits for.
    public nonisolated(nonsending) func drain() async throws {
        try await pipeline.queue.drain(of: Self.self)
    }

    /// Takes no more actions, and returns when those that wait have been executed.
    ///
    /// If the dispatcher is not active, the actions that wait are not executed: awaited ones throw ``PipelineError`` with the
    /// code `shutDown`, the others are logged. The same is done with all that wait when the task is cancelled.
    ///
    /// If waiting would be a deadlock, as when this task executes an action of this dispatcher, it returns at once, and the
    /// actions that wait are executed later. A child task of such an action would wait for ever: don't call it there.
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
