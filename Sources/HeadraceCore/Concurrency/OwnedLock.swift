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

    private struct Wait {
        let owner: Owner

        /// The owner, and those that can't release a key before the owner has ended.
        let blocked: [Owner]

        let waiter = Waiter<Void>()
    }

    /// A held key.
    private struct Entry {
        let owner: Owner

        /// The waits in order of arrival, of which some may have been cancelled.
        var waits: [Wait] = []
    }

    private let entries = Mutex<[Key: Entry]>([:])

    /// Creates a lock whose keys are free.
    package init() {}

    /// Number of held keys.
    package var heldCount: Int { entries.withLock(\.count) }

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
        try Task.checkCancellation()
        try await request(key, for: owner, within: outer)?.value()
    }

    /// Acquires `key` for `owner`, or returns the waiter that receives it.
    ///
    /// - Complexity: O(*n*) in the number of waiters if the key is held.
    func request(_ key: Key, for owner: Owner, within outer: [Owner] = []) throws(Deadlock) -> Waiter<Void>? {
        try entries.withLock { entries throws(Deadlock) in
            guard let entry = entries[key] else {
                entries[key] = Entry(owner: owner)
                return nil
            }
            if entry.owner == owner { return nil }
            for key in entries.keys { entries[key]?.waits.removeAll { $0.waiter.result != nil } }
            let wait = Wait(owner: owner, blocked: [owner] + outer)
            if Self.isDeadlock(wait, for: key, in: entries) { throw Deadlock() }
            entries[key]?.waits.append(wait)
            return wait.waiter
        }
    }

    /// Releases `keys`, unless `owner` doesn't hold them, and resumes the next waiters.
    package func release(_ keys: some Sequence<Key>, of owner: Owner) {
        for key in keys {
            let resumptions = entries.withLock { Self.release(key, of: owner, in: &$0) }
            for resumption in resumptions { resumption.resume() }
        }
    }

    /// Gives the key to the first owner that waits for it, with all of that owner's waits.
    private static func release(_ key: Key, of owner: Owner, in entries: inout [Key: Entry]) -> [Resumption<Void>] {
        guard let entry = entries[key], entry.owner == owner else { return [] }
        var waits = entry.waits
        while let next = waits.first?.owner {
            let granted = waits.filter { $0.owner == next }.compactMap { $0.waiter.end(with: .success(())) }
            waits.removeAll { $0.owner == next }
            if granted.isEmpty { continue }
            entries[key] = Entry(owner: next, waits: waits)
            return granted
        }
        entries[key] = nil
        return []
    }

    /// Whether the owner of `key`, or a waiter in its queue, waits for an owner that `wait` blocks, directly or not.
    ///
    /// It takes the whole queue of each further key. So it finds each deadlock, but an owner that waits for two keys at once may be
    /// refused without need.
    private static func isDeadlock(_ wait: Wait, for key: Key, in entries: [Key: Entry]) -> Bool {
        var wanted: [Owner: [Key]] = [:]
        for (key, entry) in entries {
            for owner in entry.waits.flatMap(\.blocked) { wanted[owner, default: []].append(key) }
        }
        var seen: Set = [key]
        var next = [key]
        while let wantedKey = next.popLast() {
            guard let entry = entries[wantedKey] else { continue }
            for other in [entry.owner] + entry.waits.map(\.owner) {
                // Another request of the owner for the same key is granted together with this request.
                if other == wait.owner, wantedKey == key { continue }
                if wait.blocked.contains(other) { return true }
                next += (wanted[other] ?? []).filter { seen.insert($0).inserted }
            }
        }
        return false
    }
}
