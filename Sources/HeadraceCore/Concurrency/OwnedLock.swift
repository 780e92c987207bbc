// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An asynchronous lock for each key, for owners that acquire several keys one after the other.
///
/// Tasks wait in order of arrival, as with a ``KeyedLock``. An owner can acquire a key again, from any task. A wait that could
/// never end, because the owner of the key waits for a key of the waiting owner, fails at once.
package final class OwnedLock<Key: Hashable & Sendable>: Sendable {
    /// The identity of an object that owns keys, which must live as long as it does.
    package typealias Owner = ObjectIdentifier

    /// The wait could never end.
    package struct Deadlock: Error {}

    private typealias State = OwnedLockState<Key, CheckedContinuation<Void, any Error>>

    private let state = Mutex(State())

    /// Creates a lock whose keys are free.
    package init() {}

    /// Number of held keys.
    package var heldCount: Int { state.withLock(\.heldCount) }

    /// Returns when `owner` holds `key`.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - owner: The owner.
    ///   - outer: Owners that can't release a key before `owner` has ended.
    /// - Throws: ``Deadlock``; `CancellationError` if the task is cancelled while it waits for the key.
    package nonisolated(nonsending) func acquire(
        _ key: Key,
        for owner: Owner,
        within outer: [Owner]
    ) async throws {
        let id = state.withLock { $0.makeWaiterID() }
        try await withCancellableContinuation { waiter in
            state.withLock { state in
                if Task.isCancelled { return .failure(CancellationError()) }
                return switch state.acquire(key, for: owner, within: outer, orEnqueue: waiter, id: id) {
                case .acquired, .held: .success(())
                case .enqueued: nil
                case .deadlock: .failure(Deadlock())
                }
            }
        } remove: {
            state.withLock { $0.removeWaiter(id, of: key) }
        }
    }

    /// Releases `keys`, unless `owner` doesn't hold them, and resumes the next waiters.
    package func release(_ keys: some Sequence<Key>, of owner: Owner) {
        for key in keys {
            let waiters = state.withLock { $0.release(key, of: owner) }
            for waiter in waiters { waiter.resume() }
        }
    }
}
