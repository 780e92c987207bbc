// SPDX-License-Identifier: Apache-2.0

/// The state machine of ``OneShot``: the value, or the waiters for it.
///
/// It resumes no waiter. Methods return the waiters that the caller must resume.
struct OneShotState<Value, Waiter> {
    /// The value; `nil` until it is set.
    private(set) var value: Value?

    private var waiters = WaiterQueue<Waiter>()
    private var lastID: WaiterID = 0

    /// Number of waiters.
    var waiterCount: Int { waiters.count }

    /// Sets the value and returns the waiters in order of arrival; `nil` if the value was set before.
    mutating func set(_ value: Value) -> [Waiter]? {
        if self.value != nil { return nil }
        self.value = value
        return waiters.removeAll()
    }

    /// Returns a new ID for a waiter.
    mutating func makeWaiterID() -> WaiterID {
        lastID += 1
        return lastID
    }

    /// Returns the value, or adds `waiter` and returns `nil`.
    mutating func value(orEnqueue waiter: Waiter, id: WaiterID) -> Value? {
        if value == nil { waiters.append(waiter, id: id) }
        return value
    }

    /// Removes a waiter that no longer wants the value and returns it; `nil` if it doesn't wait.
    mutating func removeWaiter(_ id: WaiterID) -> Waiter? {
        waiters.remove(id)
    }
}
