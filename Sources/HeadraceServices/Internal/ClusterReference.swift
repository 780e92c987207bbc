//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Leads to the cluster as long as there is one; models may keep it without keeping the cluster.
final class ClusterReference: Sendable {
    private let state = Mutex<ClusterCore?>(nil)

    var core: ClusterCore? { state.withLock { $0 } }

    /// Leads to `core` from now on.
    func connect(_ core: ClusterCore) {
        state.withLock { $0 = core }
    }

    /// Leads nowhere any more.
    func disconnect() {
        // What is freed with the cluster is freed when the lock is free.
        _ = state.withLock { $0.take() }
    }
}
