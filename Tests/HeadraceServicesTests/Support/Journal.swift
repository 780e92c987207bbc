// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A list of events in order.
final class Journal: Sendable {
    private struct State {
        var entries: [String] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var entries: [String] { state.withLock { $0.entries } }

    func note(_ entry: String) {
        let reached = state.withLock { state in
            state.entries.append(entry)
            let reached = state.watchers.filter { $0.count <= state.entries.count }
            state.watchers.removeAll { $0.count <= state.entries.count }
            return reached
        }
        for watcher in reached { watcher.continuation.resume() }
    }

    /// Returns when there are `count` entries.
    func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.entries.count < count { state.watchers.append((count, continuation)) }
                return state.entries.count >= count
            }
            if isThere { continuation.resume() }
        }
    }
}
