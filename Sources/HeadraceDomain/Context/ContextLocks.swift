// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceStorage

/// The entities that a unit of work has locked, in this process and in the store.
final class ContextLocks {
    private struct Key: Hashable, Sendable {
        let store: ObjectIdentifier
        let reference: EntityReference
    }

    /// The locks of all contexts of this process.
    private static let all = OwnedLock<Key>()

    /// The store below all decorators.
    ///
    /// The reference keeps its identity unique.
    private let store: any EntityStore

    /// The identity of the context.
    private let owner: ObjectIdentifier

    /// The locks that other processes respect; `nil` if the store has none.
    private let shared: (any StoreLocks)?

    private var keys: Set<Key> = []
    private var locked: Set<EntityReference> = []
    private var isReleased = false

    init(on store: any EntityStore, of owner: ObjectIdentifier) {
        self.store = store.lockedStore
        self.owner = owner
        shared = (self.store as? any LockingStore)?.makeLocks()
    }

    deinit {
        release()
    }

    /// Returns when the unit of work has locked the entity of `reference`.
    ///
    /// - Throws: ``HeadraceStorage/StoreError`` with the code `locked`, or `rolledBack` if the unit of work ends meanwhile; the other
    ///   errors of the store; `CancellationError`.
    nonisolated(nonsending) func acquire(_ reference: EntityReference) async throws {
        if locked.contains(reference) { return }
        let key = Key(store: ObjectIdentifier(store), reference: reference)
        do {
            try await Self.all.acquire(key, for: owner, within: ActiveUnitOfWork.enclosing.filter { $0 != owner })
        } catch is OwnedLock<Key>.Deadlock {
            throw StoreError.deadlock(reference)
        }
        do {
            try requireUse(of: reference)
            keys.insert(key)
            // Another task of the caller's actor may wait for the same lock at the same time.
            try await shared?.acquire(reference)
            try requireUse(of: reference)
            locked.insert(reference)
        } catch {
            keys.remove(key)
            Self.all.release([key], of: owner)
            throw error
        }
    }

    private func requireUse(of reference: EntityReference) throws {
        if isReleased { throw StoreError.rolledBackDuringRead(reference) }
    }

    /// Releases all locks.
    ///
    /// Later calls have no effect.
    func release() {
        if isReleased { return }
        isReleased = true
        shared?.release()
        Self.all.release(keys, of: owner)
    }
}
