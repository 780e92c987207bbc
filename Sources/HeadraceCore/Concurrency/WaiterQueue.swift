// SPDX-License-Identifier: Apache-2.0

/// Identifies a waiter of one lock, semaphore, or result.
typealias WaiterID = UInt64

/// A FIFO queue of waiters from which any waiter can be removed.
struct WaiterQueue<Waiter> {
    private var waiters: [WaiterID: Waiter] = [:]

    /// The waiters' IDs in order of arrival, from index `head`.
    ///
    /// Some of these waiters may have been removed.
    private var order: [WaiterID] = []
    private var head = 0

    /// Number of waiters.
    var count: Int { waiters.count }

    /// Adds `waiter` at the end.
    ///
    /// - Complexity: O(1), amortised.
    mutating func append(_ waiter: Waiter, id: WaiterID) {
        waiters[id] = waiter
        order.append(id)
    }

    /// Removes the waiter with the ID `id` and returns it; `nil` if the queue doesn't contain it.
    ///
    /// - Complexity: O(1), amortised.
    mutating func remove(_ id: WaiterID) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        compact()
        return waiter
    }

    /// Removes the first waiter and returns it; `nil` if the queue is empty.
    ///
    /// - Complexity: O(1), amortised.
    mutating func popFirst() -> Waiter? {
        while head < order.count {
            let id = order[head]
            head += 1
            guard let waiter = waiters.removeValue(forKey: id) else { continue }
            compact()
            return waiter
        }
        return nil
    }

    /// Removes all waiters and returns them in order of arrival.
    ///
    /// - Complexity: O(*n*) in the number of waiters.
    mutating func removeAll() -> [Waiter] {
        defer { self = WaiterQueue() }
        return order[head...].compactMap { waiters[$0] }
    }

    /// Forgets the IDs of removed waiters when they outnumber the others.
    private mutating func compact() {
        if waiters.isEmpty {
            order.removeAll(keepingCapacity: true)
        } else if order.count > 2 * waiters.count + 8 {
            order = order[head...].filter { waiters[$0] != nil }
        } else {
            return
        }
        head = 0
    }
}
