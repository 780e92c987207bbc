// SPDX-License-Identifier: Apache-2.0

/// The state machine of ``Permits``: the number of free permits, and the waiters.
///
/// Tasks wait only while no permit is free. It resumes no waiter. Methods return the waiter that the caller must
/// resume.
struct PermitsState<Waiter> {
    /// Number of free permits.
    private(set) var availableCount: Int

    private var waiters = WaiterQueue<Waiter>()
    private var lastID: WaiterID = 0

    /// Creates the state of `count` free permits.
    init(count: Int) {
        availableCount = count
    }

    /// Number of waiters.
    var waiterCount: Int { waiters.count }

    /// Acquires a permit and returns true, or returns false if none is free.
    mutating func tryAcquire() -> Bool {
        if availableCount == 0 { return false }
        availableCount -= 1
        return true
    }

    /// Returns a new ID for a waiter.
    mutating func makeWaiterID() -> WaiterID {
        lastID += 1
        return lastID
    }

    /// Acquires a permit and returns true, or adds `waiter` to the end of the queue and returns false.
    mutating func acquire(orEnqueue waiter: Waiter, id: WaiterID) -> Bool {
        if tryAcquire() { return true }
        waiters.append(waiter, id: id)
        return false
    }

    /// Removes a waiter that no longer wants a permit and returns it; `nil` if it doesn't wait.
    mutating func removeWaiter(_ id: WaiterID) -> Waiter? {
        waiters.remove(id)
    }

    /// Releases a permit, and returns the waiter that now holds it; `nil` if the permit is free.
    mutating func release() -> Waiter? {
        if let next = waiters.popFirst() { return next }
        availableCount += 1
        return nil
    }
}
