// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceStorage
import LedgerApplication
import Synchronization

/// A store whose commits wait until a test releases or fails them.
final class HeldStore: StoreDecorator {
    private struct State {
        var isHolding = false
        var held: [CheckedContinuation<Bool, Never>] = []
        var commitCount = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private struct Failure: Error {}

    let base: any DeliveryStore
    private let state = Mutex(State())

    init() throws {
        base = try InMemoryStore(entities: LedgerComposition.entities)
    }

    /// Number of attempted commits.
    var commitCount: Int { state.withLock(\.commitCount) }

    /// Holds commits from now on.
    func hold() {
        state.withLock { $0.isHolding = true }
    }

    /// Returns when `count` commits are waiting.
    func holds(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.held.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Releases or fails the first waiting commit.
    func release(failing: Bool = false) {
        state.withLock { $0.held.removeFirst() }.resume(returning: !failing)
    }

    /// Releases all waiting commits, which then run in any order, and holds no more.
    func releaseAll() {
        let held = state.withLock { state in
            state.isHolding = false
            defer { state.held = [] }
            return state.held
        }
        for commit in held { commit.resume(returning: true) }
    }

    func commit(_ changes: ChangeSet) async throws {
        let isGood = await withCheckedContinuation { continuation in
            let (isHeld, woken) = state.withLock { state in
                state.commitCount += 1
                if !state.isHolding { return (false, [CheckedContinuation<Void, Never>]()) }
                state.held.append(continuation)
                let woken = state.watchers.filter { $0.count <= state.held.count }.map(\.continuation)
                state.watchers.removeAll { $0.count <= state.held.count }
                return (true, woken)
            }
            if !isHeld { continuation.resume(returning: true) }
            for watcher in woken { watcher.resume() }
        }
        if !isGood { throw Failure() }
        try await base.commit(changes)
    }
}
