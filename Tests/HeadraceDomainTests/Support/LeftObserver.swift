//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HeadraceDomain
import Synchronization

/// Counts the messages that a relay leaves, and lets a test wait for them.
final class LeftObserver: RelayObserver {
    private struct State {
        var count = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func left(_ delivery: Delivery, reason: String, until: Date) {
        let done = state.withLock { state in
            state.count += 1
            let count = state.count
            defer { state.waiters.removeAll { $0.count <= count } }
            return state.waiters.filter { $0.count <= count }
        }
        for waiter in done { waiter.continuation.resume() }
    }

    /// Waits until the relay has left `count` messages.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if state.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isNow { continuation.resume() }
        }
    }
}
