// SPDX-License-Identifier: Apache-2.0

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
    /// - Throws: `CancellationError`; ``PipelineError`` with the code `deadlock` if the caller is an action of this dispatcher, which
    ///   would wait for itself, and in a debug build also if an action of this dispatcher waits for the caller.
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
