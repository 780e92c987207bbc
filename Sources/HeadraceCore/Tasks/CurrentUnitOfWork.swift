// SPDX-License-Identifier: Apache-2.0

/// Work that succeeds or fails as a whole, such as a unit of work.
package protocol AtomicWork: AnyObject, Sendable {
    /// The task that runs the work.
    var task: TaskIdentity { get }
}

/// The innermost ``AtomicWork`` around the current code.
///
/// No part of it can be retried alone, because a failed part may have left changes that only a rollback of the whole
/// work reverts.
package enum CurrentUnitOfWork {
    /// The work, which may belong to a parent of the current task.
    @TaskLocal package static var current: (any AtomicWork)?

    /// Whether the current task runs such work.
    ///
    /// A child task doesn't run the work of its parent, unless it represents the parent (``TaskIdentity``).
    package static var isCurrent: Bool {
        guard let current else { return false }
        return current.task == .current
    }
}
