// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Logging

/// A queued action of a dispatcher.
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
