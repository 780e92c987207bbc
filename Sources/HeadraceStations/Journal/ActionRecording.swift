//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes down each action that a station reduces, until it is stopped or released.
@MainActor
public final class ActionRecording<Action: Sendable> {
    /// The actions so far.
    public private(set) var journal = ActionJournal<Action>()

    private var isStopped = false

    init() {}

    /// Writes down no more.
    public func stop() {
        isStopped = true
    }

    /// Takes an action; tells whether it wants more.
    func take(_ action: Action) -> Bool {
        if isStopped { return false }
        journal.actions.append(action)
        return true
    }
}
