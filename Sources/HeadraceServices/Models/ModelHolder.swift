// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The holder of a model: the mutation that is changing it.
///
/// `current` is the innermost mutation of the task. A send finds the outer ones through it, so that a mutation that leads
/// back to its own model fails instead of waiting for itself.
final class ModelHolder: Sendable {
    @TaskLocal static var current: ModelHolder?

    private let model: ObjectIdentifier
    private let outer = ModelHolder.current
    private let isReleased = Mutex(false)

    init(_ model: AnyObject) {
        self.model = ObjectIdentifier(model)
    }

    /// Marks the mutation as ended.
    ///
    /// A task that the handler started and that still runs may then change the model.
    func release() {
        isReleased.withLock { $0 = true }
    }

    /// Whether the current task is part of a mutation of `model`.
    static func isHeld(_ model: AnyObject) -> Bool {
        var next = current
        while let holder = next {
            if holder.model == ObjectIdentifier(model), !holder.isReleased.withLock({ $0 }) { return true }
            next = holder.outer
        }
        return false
    }
}
