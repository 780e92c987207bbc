// SPDX-License-Identifier: Apache-2.0

/// A recording of the actions that a station reduces.
///
/// It ends when it is stopped or released.
@MainActor
public final class ActionRecording<Action: Sendable> {
    /// The actions that were recorded so far.
    public private(set) var journal = ActionJournal<Action>()

    private var isStopped = false

    init() {}

    /// Ends the recording.
    public func stop() {
        isStopped = true
    }

    /// Records an action, and returns whether the recording goes on.
    func take(_ action: Action) -> Bool {
        if isStopped { return false }
        journal.actions.append(action)
        return true
    }
}
