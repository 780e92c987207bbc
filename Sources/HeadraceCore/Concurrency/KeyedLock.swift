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
    /// The waiters of each held key; a key that isn't held has no queue.
    private let queues = Mutex<[Key: WaiterQueue<Void, Void>]>([:])

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

    /// Number of held keys.
    var heldCount: Int { queues.withLock(\.count) }

    /// Returns when the task holds `key`.
    fileprivate nonisolated(nonsending) func wait(for key: Key) async throws {
        try await request(key)?.value()
    }

    /// Acquires `key`, or returns the waiter that receives it.
    func request(_ key: Key) -> Waiter<Void>? {
        queues.withLock { queues in
            if queues[key] != nil { return queues[key]?.append() }
            queues[key] = WaiterQueue()
            return nil
        }
    }

    /// Releases `key` and resumes the next waiter.
    func release(_ key: Key) {
        let resumption = queues.withLock { queues in
            let next = queues[key]?.endFirst(with: ())
            if next == nil { queues[key] = nil }
            return next
        }
        resumption?.resume()
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

/// Keys of a ``KeyedLock`` that a caller holds, until ``release()`` or until the object is deallocated.
package final class HeldKeys<Key: Hashable & Sendable>: Sendable {
    private let lock: KeyedLock<Key>

    /// The keys that are still held.
    private let keys: Mutex<[Key]>

    fileprivate init(_ keys: [Key], of lock: KeyedLock<Key>) {
        self.lock = lock
        self.keys = Mutex(keys)
    }

    /// Whether the keys have been released.
    package var isReleased: Bool { keys.withLock(\.isEmpty) }

    deinit {
        release()
    }

    /// Releases the keys.
    ///
    /// Later calls have no effect.
    package func release() {
        let released = keys.withLock { keys in
            defer { keys = [] }
            return keys
        }
        for key in released { lock.release(key) }
    }
}
