// SPDX-License-Identifier: Apache-2.0

/// The state machine of ``KeyedLock``: the held keys, and the waiters of each.
///
/// It resumes no waiter. Methods return the waiter that the caller must resume.
struct KeyedLockState<Key: Hashable, Waiter> {
    /// The waiters of each held key.
    ///
    /// A key that isn't held has no queue.
    private var queues: [Key: WaiterQueue<Waiter>] = [:]

    private var lastID: WaiterID = 0

    /// Number of held keys.
    var heldCount: Int { queues.count }

    /// Acquires `key` and returns true, or returns false if it is held.
    mutating func tryAcquire(_ key: Key) -> Bool {
        if queues[key] != nil { return false }
        queues[key] = WaiterQueue()
        return true
    }

    /// Returns a new ID for a waiter.
    mutating func makeWaiterID() -> WaiterID {
        lastID += 1
        return lastID
    }

    /// Acquires `key` and returns true, or adds `waiter` to the end of the queue and returns false.
    mutating func acquire(_ key: Key, orEnqueue waiter: Waiter, id: WaiterID) -> Bool {
        if tryAcquire(key) { return true }
        queues[key]?.append(waiter, id: id)
        return false
    }

    /// Removes a waiter that no longer wants `key` and returns it; `nil` if it doesn't wait.
    mutating func removeWaiter(_ id: WaiterID, of key: Key) -> Waiter? {
        queues[key]?.remove(id)
    }

    /// Releases `key`, and returns the waiter that now holds it; `nil` if the key is free.
    mutating func release(_ key: Key) -> Waiter? {
        if let next = queues[key]?.popFirst() { return next }
        queues[key] = nil
        return nil
    }
}
