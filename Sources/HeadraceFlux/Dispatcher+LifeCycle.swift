//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Dispatcher {
    /// Whether an action is being executed.
    public nonisolated var isDispatching: Bool { pipeline.line.isBusy }

    /// Whether actions are executed as they come; otherwise they wait.
    public nonisolated var isActive: Bool { pipeline.line.isActive }

    /// Goes on with the actions, those first that came meanwhile.
    public nonisolated func activate() {
        pipeline.line.activate()
    }

    /// Lets actions wait from now on; one that is being executed is not interrupted.
    public nonisolated func deactivate() {
        pipeline.line.deactivate()
    }

    /// Returns when no action is being executed and none waits.
    ///
    /// While the dispatcher is not active, it waits for those that do. Within an action of the dispatcher it would wait
    /// for itself.
    ///
    /// - Throws: `CancellationError`.
    public nonisolated(nonsending) func drain() async throws {
        try await pipeline.line.drain()
    }

    /// Takes no more actions, and returns when those that wait have been executed.
    ///
    /// Where the dispatcher is not active, those that wait are not executed: whoever awaits one gets ``PipelineError`` with
    /// the code `shutDown`, the others are logged. The same is done with all that wait when the task is cancelled.
    /// Within an action of the dispatcher it would wait for itself.
    public nonisolated(nonsending) func shutDown() async {
        pipeline.line.shutDown()
        do {
            try await pipeline.line.drain()
        } catch {
            pipeline.line.rejectWaiting()
        }
    }
}
