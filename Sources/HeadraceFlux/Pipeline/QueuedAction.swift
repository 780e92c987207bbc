//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// An action in the queue that no task awaits.
///
/// It does not keep the dispatcher alive: the task that executes the queue does. So a paused dispatcher is released,
/// and its queue with it.
protocol QueuedAction: AnyObject, Sendable {
    /// The action, for the key under which it may be replaced.
    var message: any Action { get }

    /// The priority of the caller that queued it.
    var priority: TaskPriority { get }

    /// The dispatcher; `nil` if it has been released.
    var dispatcher: AnyObject? { get }

    /// Executes the action, whose turn in `queue` it is, and passes the turn on.
    ///
    /// - Returns: The queued action that has the turn now; `nil` if none has.
    nonisolated(nonsending) func execute(on queue: ActionQueue) async -> (any QueuedAction)?

    /// Logs why the action is not executed.
    func reject(_ error: any Error)
}
