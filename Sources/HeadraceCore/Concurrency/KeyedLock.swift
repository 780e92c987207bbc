// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An asynchronous lock for each key: operations with equal keys run one at a time, in order of arrival.
///
/// ```swift
/// let lock = KeyedLock<String>()
///
/// try await lock.withLock(account.id) {
///     try await close(account)
/// }
/// ```
///
/// Operations with different keys run concurrently. A waiting task is suspended and blocks no thread.
///
/// The lock isn't re-entrant. An operation that acquires its own key again waits for itself, which is a deadlock. To
/// lock several keys, acquire all of them at once: `lock.withLock([source.id, target.id]) { … }`.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    private typealias State = KeyedLockState<Key, CheckedContinuation<Void, any Error>>

    private let state = Mutex(State())

    /// Creates a lock that no task holds.
    package init() {}

    /// Runs `operation`, on the actor of the caller, while the task holds `key`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits for the key; the errors of `operation`.
    package nonisolated(nonsending) func withLock<Result>(
        _ key: Key,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await wait(for: key)
        defer { release(key) }
        return try await operation()
    }

    /// Returns when the task holds `key`.
    fileprivate nonisolated(nonsending) func wait(for key: Key) async throws {
        let id: WaiterID? = state.withLock { state in
            state.tryAcquire(key) ? nil : state.makeWaiterID()
        }
        guard let id else { return }
        try await withCancellableContinuation { waiter in
            state.withLock { state in
                if Task.isCancelled { return .failure(CancellationError()) }
                return state.acquire(key, orEnqueue: waiter, id: id) ? .success(()) : nil
            }
        } remove: {
            state.withLock { $0.removeWaiter(id, of: key) }
        }
    }

    /// Releases `key` and resumes the next waiter.
    func release(_ key: Key) {
        state.withLock { $0.release(key) }?.resume()
    }
}

extension KeyedLock where Key: Comparable {
    /// Runs `operation`, on the actor of the caller, while the task holds all of `keys`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits for a key; the errors of `operation`.
    package nonisolated(nonsending) func withLock<Result>(
        _ keys: Set<Key>,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        let held = try await acquire(keys)
        defer { held.release() }
        return try await operation()
    }

    /// Acquires all of `keys`, in ascending order so that two callers never wait for each other.
    ///
    /// Prefer `withLock`, unless another object must release the keys before the operation ends.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits for a key. Then it holds none.
    package nonisolated(nonsending) func acquire(_ keys: Set<Key>) async throws -> HeldKeys<Key> {
        var acquired: [Key] = []
        do {
            for key in keys.sorted() {
                try await wait(for: key)
                acquired.append(key)
            }
        } catch {
            for key in acquired { release(key) }
            throw error
        }
        return HeldKeys(acquired, of: self)
    }
}
