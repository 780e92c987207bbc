//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The models that this task changes, or that those change for which it works.
final class HeldModel: Sendable {
    @TaskLocal static var current: HeldModel?

    private let model: ObjectIdentifier
    private let outer = HeldModel.current
    private let isReleased = Mutex(false)

    init(_ model: AnyObject) {
        self.model = ObjectIdentifier(model)
    }

    /// Says that the mutation has ended: a task that it has left behind may change the model.
    func release() {
        isReleased.withLock { $0 = true }
    }

    static func isHeld(_ model: AnyObject) -> Bool {
        var next = current
        while let held = next {
            if held.model == ObjectIdentifier(model), !held.isReleased.withLock({ $0 }) { return true }
            next = held.outer
        }
        return false
    }
}
