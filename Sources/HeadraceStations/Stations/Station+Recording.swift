//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Station {
    /// Begins to write down each action that is reduced.
    public func record() -> ActionRecording<Action> {
        let recording = ActionRecording<Action>()
        core.observeActions { [weak recording] action in
            MainActor.assumeIsolated { recording?.take(action) ?? false }
        }
        return recording
    }
}
