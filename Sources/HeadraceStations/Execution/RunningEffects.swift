// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// All running effects of a station, and the actor on which they run.
package final class RunningEffects: Sendable {
    private struct Owner {
        weak var actor: (any Actor)?
    }

    /// The root of the tree of running effects.
    let root = EffectNode(within: nil)

    private let owner = Mutex(Owner())

    /// Creates an empty tree.
    package init() {}

    /// Number of effects that run.
    package var count: Int { root.taskCount }

    /// The actor of the station; `nil` before ``attach(_:)``, and after the actor was released.
    var actor: (any Actor)? { owner.withLock(\.actor) }

    /// Sets the actor of the station.
    ///
    /// Must be called before the first action.
    package func attach(_ actor: any Actor) {
        owner.withLock { $0.actor = actor }
    }

    /// Cancels all effects that run now, and all effects that are started later.
    package func cancel() {
        root.cancel()
    }
}
