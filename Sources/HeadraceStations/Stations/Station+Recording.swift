// SPDX-License-Identifier: Apache-2.0

extension Station {
    /// Begins to record each action that the station reduces.
    public func record() -> ActionRecording<Action> {
        let recording = ActionRecording<Action>()
        core.observeActions { [weak recording] action in
            MainActor.assumeIsolated { recording?.take(action) ?? false }
        }
        return recording
    }
}
