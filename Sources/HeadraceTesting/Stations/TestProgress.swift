// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whether a test has begun to use its station, and whether it has finished.
final class TestProgress: Sendable {
    private let state = Mutex((hasBegun: false, hasEnded: false))

    /// Whether the test has begun and not ended.
    var isOpen: Bool { state.withLock { $0.hasBegun && !$0.hasEnded } }

    /// Marks the test as begun.
    ///
    /// Returns `false` if it already was.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
    }

    /// Marks the test as ended.
    func end() {
        state.withLock { $0.hasEnded = true }
    }
}
