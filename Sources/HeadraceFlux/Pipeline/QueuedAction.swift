// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

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
