// SPDX-License-Identifier: Apache-2.0

/// The state machine of ``OwnedLock``: the owners of the held keys, and the waiters of each key.
///
/// It resumes no waiter. Methods return the waiters that the caller must resume.
struct OwnedLockState<Key: Hashable, Waiter> {
    typealias Owner = ObjectIdentifier

    /// The outcome of a request.
    enum Outcome {
        /// The owner holds the key now.
        case acquired

        /// The owner has held the key before.
        case held

        /// The waiter is in the queue.
        case enqueued

        /// The wait could never end.
        case deadlock
    }

    private struct Wait {
        let id: WaiterID
        let owner: Owner

        /// The owner, and those that can't release a key before the owner has ended.
        let blocked: [Owner]
        let waiter: Waiter
    }

    private struct Entry {
        var owner: Owner

        /// The waiters in order of arrival.
        var waits: [Wait] = []
    }

    /// The held keys.
    private var entries: [Key: Entry] = [:]

    /// The keys that each blocked owner waits for, with repetitions.
    private var wanted: [Owner: [Key]] = [:]

    private var lastID: WaiterID = 0

    /// Number of held keys.
    var heldCount: Int { entries.count }

    /// Returns a new ID for a waiter.
    mutating func makeWaiterID() -> WaiterID {
        lastID += 1
        return lastID
    }

    /// Acquires `key` for `owner`, or adds `waiter` to the end of its queue.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - owner: The owner.
    ///   - outer: Owners that can't release a key before `owner` has ended.
    ///   - waiter: The waiter.
    ///   - id: The ID of the waiter.
    /// - Returns: The outcome.
    /// - Complexity: O(*n*) in the number of owners and waiters that `owner` would wait for.
    mutating func acquire(
        _ key: Key,
        for owner: Owner,
        within outer: [Owner],
        orEnqueue waiter: Waiter,
        id: WaiterID
    ) -> Outcome {
        guard let entry = entries[key] else {
            entries[key] = Entry(owner: owner)
            return .acquired
        }
        if entry.owner == owner { return .held }
        let blocked = [owner] + outer
        if isDeadlock(key, for: owner, blocked: blocked) { return .deadlock }
        entries[key]?.waits.append(Wait(id: id, owner: owner, blocked: blocked, waiter: waiter))
        for blocked in blocked { wanted[blocked, default: []].append(key) }
        return .enqueued
    }

    /// Removes a waiter that no longer wants `key` and returns it; `nil` if it doesn't wait.
    mutating func removeWaiter(_ id: WaiterID, of key: Key) -> Waiter? {
        guard let index = entries[key]?.waits.firstIndex(where: { $0.id == id }),
            let wait = entries[key]?.waits.remove(at: index)
        else { return nil }
        forget(wait, of: key)
        return wait.waiter
    }

    /// Releases `key` if `owner` holds it, and returns the waiters whose owner now holds it.
    mutating func release(_ key: Key, of owner: Owner) -> [Waiter] {
        guard let entry = entries[key], entry.owner == owner else { return [] }
        guard let next = entry.waits.first?.owner else {
            entries[key] = nil
            return []
        }
        let granted = entry.waits.filter { $0.owner == next }
        entries[key] = Entry(owner: next, waits: entry.waits.filter { $0.owner != next })
        for wait in granted { forget(wait, of: key) }
        return granted.map(\.waiter)
    }

    private mutating func forget(_ wait: Wait, of key: Key) {
        for blocked in wait.blocked {
            if let index = wanted[blocked]?.firstIndex(of: key) { wanted[blocked]?.remove(at: index) }
            if wanted[blocked]?.isEmpty == true { wanted[blocked] = nil }
        }
    }

    /// Whether the owner of `key`, or a waiter in its queue, waits for one of `blocked`, directly or not.
    ///
    /// It takes the whole queue of each further key. So it finds each deadlock, but an owner that waits for two keys at once may be
    /// refused without need.
    private func isDeadlock(_ key: Key, for owner: Owner, blocked: [Owner]) -> Bool {
        var seen: Set = [key]
        var next = [key]
        while let wantedKey = next.popLast() {
            guard let entry = entries[wantedKey] else { continue }
            for other in [entry.owner] + entry.waits.map(\.owner) {
                // Another request of the owner for the same key is granted together with this request.
                if other == owner, wantedKey == key { continue }
                if blocked.contains(other) { return true }
                next += (wanted[other] ?? []).filter { seen.insert($0).inserted }
            }
        }
        return false
    }
}
