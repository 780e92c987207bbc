// SPDX-License-Identifier: Apache-2.0

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
