//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// An action in the queue of a busy station.
struct PendingAction<Action: Sendable> {
    let action: Action

    /// The completion to which the action counts; `nil` for the completion of the action that is being poured.
    let completion: ActionCompletion?

    /// The message that has caused the action.
    let cause: MessageContext?

    let source: ActionSource
}

/// A first-in, first-out queue.
///
/// Both operations take constant time on average.
struct PendingActionQueue<Action: Sendable> {
    private var actions: [PendingAction<Action>?] = []
    private var head = 0

    mutating func append(_ pending: PendingAction<Action>) {
        actions.append(pending)
    }

    mutating func popFirst() -> PendingAction<Action>? {
        guard head < actions.count else { return nil }
        let first = actions[head]
        actions[head] = nil
        head += 1
        if head == actions.count {
            actions.removeAll(keepingCapacity: head <= 64)
            head = 0
        } else if head > 1_024, head > actions.count / 2 {
            actions.removeFirst(head)
            head = 0
        }
        return first
    }
}
