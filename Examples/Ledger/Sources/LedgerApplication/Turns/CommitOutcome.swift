//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// What becomes of a commit that has begun: for those who have built upon it.
final class CommitOutcome: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Bool, Never>])
        case settled(isStored: Bool)
    }

    private let state = Mutex(State.waiting([]))

    /// Settles it, once.
    func settle(isStored: Bool) {
        let waiting = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            guard case .waiting(let waiting) = state else { return [] }
            state = .settled(isStored: isStored)
            return waiting
        }
        for waiter in waiting { waiter.resume(returning: isStored) }
    }

    /// Whether it is stored, once that is certain.
    nonisolated(nonsending) func isStored() async -> Bool {
        await withCheckedContinuation { waiter in
            let isStored = state.withLock { state -> Bool? in
                switch state {
                case .settled(let isStored):
                    return isStored
                case .waiting(let waiting):
                    state = .waiting(waiting + [waiter])
                    return nil
                }
            }
            if let isStored { waiter.resume(returning: isStored) }
        }
    }
}
