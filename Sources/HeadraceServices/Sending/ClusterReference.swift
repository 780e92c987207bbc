// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A reference to a cluster that doesn't keep the cluster alive.
///
/// A model may store a `Send` without a retain cycle.
final class ClusterReference: Sendable {
    private let state = Mutex<(any ActionReceiver)?>(nil)

    /// The cluster, or `nil` before `connect(_:)` and after `disconnect()`.
    var receiver: (any ActionReceiver)? { state.withLock { $0 } }

    func connect(_ receiver: any ActionReceiver) {
        state.withLock { $0 = receiver }
    }

    func disconnect() {
        // Releases the cluster after the lock is free: a deinitializer may call this reference again.
        _ = state.withLock { $0.take() }
    }
}
